# SPDX-License-Identifier: Apache-2.0
"""Forgeries: a game's entries with something in them changed, chained and signed anew with all the keys there are.

A forger who owns the house's keys and the players' can make any story hang together. What still refuses it is the
one thing that the story got wrong, so a forged proof shows that a step of the verifier does its own work.

    forgery = Forgery(game)
    forgery.draft(Dealt).time_ms -= 1
    proof = forgery.game_proof()
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hokm.events import (
    Anchor,
    CeremonyOpened,
    CommitSetClosed,
    CommitSetWitnessed,
    Event,
    Join,
    Move,
    Ruling,
    SignedMove,
    StoodIn,
)
from hokm.merkle import leaf_hash
from hokm.proof import Proof
from hokm.signing import SigningKey, pae
from hokm.wire import MOVE_TYPE, write_event, write_move
from tests.simulation.game import Game, witnessed
from tests.simulation.house import TestHouse


@dataclass
class Draft:
    """An entry that is still to be chained and signed. None leaves a field to the forger's pen: the right value."""

    content: Move | Ruling
    """A move, or a ruling; of a StoodIn the move in its `join` counts."""
    time_ms: int
    signer: SigningKey | None
    """Who signs the move, or the Join in a StoodIn."""
    version: int | None = None
    previous: bytes | None = None
    table: bytes | None = None
    seen_hash: bytes | None = None
    move_signature: bytes | None = None
    house_key: SigningKey | None = None
    entry_signature: bytes | None = None
    body: bytes | None = None
    """The whole event as bytes, whatever the fields say."""
    anchor: Anchor | None = None
    anchor_note: str | None = None
    witness: Callable[[TestHouse, CommitSetWitnessed], CommitSetWitnessed] | None = None
    """Of a CommitSetWitnessed: what is shown in place of what would be right."""
    house_acts: tuple[Any, ...] = ()
    """What the house does before this entry: callables that are given it."""

    def edit(self, **changes: Any) -> None:
        """Change fields of the content; of a move also those of its act."""
        content = self.content
        if not isinstance(content, Move):
            self.content = content._replace(**changes)
            return
        head = {name: value for name, value in changes.items() if name in Move._fields}
        act = {name: value for name, value in changes.items() if name not in Move._fields}
        if act:
            head["act"] = content.act._replace(**act)
        self.content = content._replace(**head)


def drafts_of(game: Game) -> list[Draft]:
    """The entries of a game as drafts."""
    drafts = []
    for event in game.events:
        content = event.content
        signer = None
        if isinstance(content, SignedMove):
            signer = game.keys[game.signers[content.signature]]
            drafts.append(Draft(content.move, event.time_ms, signer))
            continue
        if isinstance(content, StoodIn):
            act = content.join.move.act
            assert isinstance(act, Join)
            signer = game.keys[act.public_key]
        drafts.append(Draft(content, event.time_ms, signer))
    return drafts


class Forgery:
    """The entries of a game as drafts, and the pen that writes them anew into a log of their own."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.drafts = drafts_of(game)

    def find(self, kind: type, nth: int = 0) -> int:
        """The place of the nth draft whose ruling, or whose move's act, is of that kind; -1 is the last one."""
        places = [
            place
            for place, draft in enumerate(self.drafts)
            if isinstance(draft.content.act if isinstance(draft.content, Move) else draft.content, kind)
        ]
        return places[nth]

    def draft(self, kind: type, nth: int = 0) -> Draft:
        return self.drafts[self.find(kind, nth)]

    def write(self) -> Game:
        """The forged game, in a log of its own that the same keys sign."""
        game = self.game
        house = _again(game.house)
        forged = _blank(game, house)
        for place, draft in enumerate(self.drafts):
            house.now_ms = max(house.now_ms, draft.time_ms)
            for act in draft.house_acts:
                act(house)
            event, entry = self._entry(forged, place, draft)
            forged.entries.append(entry)
            forged.events.append(event)
            forged.leaves.append(leaf_hash(entry))
            forged.places.append(house.append(entry))
        return forged

    def game_proof(self) -> Proof:
        return self.write().game_proof()

    def round_proof(self, number: int) -> Proof:
        return self.write().round_proof(number)

    def _entry(self, forged: Game, place: int, draft: Draft) -> tuple[Event, bytes]:
        house = forged.house
        content = draft.content
        written: SignedMove | Ruling
        match content:
            case Move():
                written = self._signed(forged, draft, content)
            case StoodIn():
                written = content._replace(join=self._signed(forged, draft, content.join.move))
            case CeremonyOpened():
                note = house.publish(time_ms=max(draft.time_ms, 0))
                anchor = Anchor(len(house.leaves), house.checkpoint().root)
                forged.anchors[place] = draft.anchor_note or note
                written = content._replace(anchor=draft.anchor or anchor)
            case CommitSetWitnessed():
                written = witnessed(house, forged.places[(forged.versions(CommitSetClosed) or [0])[-1]])
                written = draft.witness(house, written) if draft.witness is not None else written
            case _:
                written = content
        event = Event(
            forged.id if draft.table is None else draft.table,
            place if draft.version is None else draft.version,
            (forged.leaves[-1] if forged.leaves else bytes(32)) if draft.previous is None else draft.previous,
            draft.time_ms,
            written,
        )
        entry = house.sign_event(write_event(event) if draft.body is None else draft.body, draft.house_key)
        if draft.entry_signature is not None:
            entry = entry[:-64] + draft.entry_signature
        return event, entry

    def _signed(self, forged: Game, draft: Draft, move: Move) -> SignedMove:
        seen = draft.seen_hash
        if seen is None:
            seen = forged.leaves[move.seen_version] if move.seen_version < len(forged.leaves) else move.seen_hash
        move = move._replace(seen_hash=seen)
        body = write_move(move)
        assert draft.signer is not None
        signature = draft.signer.sign(pae(MOVE_TYPE, body))
        return SignedMove(move, body, signature if draft.move_signature is None else draft.move_signature)


def _again(house: TestHouse) -> TestHouse:
    """A house with the same keys and a log as it was before the first table."""
    return TestHouse(
        seed=house.seed,
        origin=house.origin,
        witness_names=house.witness_names,
        threshold=house.threshold,
        cosigners=house.cosigners,
    )


def _blank(game: Game, house: TestHouse) -> Game:
    forged = Game(house, game.rules, game.kinds)
    forged.id = game.id
    forged.event_key = game.event_key
    forged.keys = game.keys
    forged.numbers = game.numbers
    for made in (forged.entries, forged.events, forged.leaves, forged.places):
        made.clear()
    del house.leaves[-1]
    house.nodes = {place: node for place, node in house.nodes.items() if _is_in(place, len(house.leaves))}
    return forged


def _is_in(node: tuple[int, int], size: int) -> bool:
    level, index = node
    return (index + 1) << level <= size
