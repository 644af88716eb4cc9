# SPDX-License-Identifier: Apache-2.0
"""The scenarios of house_rules.jsonl that need a table: acts in words, decided and evolved by the real state machine.

A scene starts where a deal has just been made. The acts before the last one are lawful; what is told of the last one
(was it refused, what was played by it) and of the table after it is compared with what the scenario expects.
"""

from __future__ import annotations

import hashlib
import re
from typing import Any

import pytest

from hokm.cards import card_text, cards_of, parse_hand
from hokm.deal import Context, Purpose, early_commitment, packets_of
from hokm.errors import HokmError
from hokm.events import (
    Act,
    Dealt,
    EarlyTurned,
    Event,
    Holder,
    LayEarly,
    Move,
    RoundRevealed,
    Ruling,
    SeatKind,
    SignedMove,
    TakeBack,
)
from hokm.rules import Seat, TableRules, points, round_winner
from hokm.table import (
    Between,
    Ceremony,
    Hands,
    House,
    LaidCard,
    Place,
    Round,
    Signing,
    Supply,
    Table,
    decide,
    due,
    evolve,
    hands_in,
    may_play,
    overdue,
    rule,
    to_act,
    vouch,
)
from tests import vector_files
from tests.scenes import Laid, pack_of, said, table_rules

SCENARIOS = vector_files.house_rules("round")
START_MS = 1_700_000_000_000


class Scene:
    """One table and what the house knows of its round."""

    def __init__(self, rules: TableRules) -> None:
        places = tuple(Place(SeatKind.PERSON, bytes([seat]) * 32, bytes(32), Signing(), True) for seat in range(4))
        ceremony = ceremony_of(1)
        self.table = Table(
            House("example.org/scene", b"e" * 32),
            bytes(16),
            rules,
            bytes(32),
            bytes(32),
            10,
            START_MS,
            b"g" * 32,
            places,
            (0, 0),
            (0, 0),
            None,
            1,
            0,
            frozenset(),
            ceremony,
        )
        self.hands = Hands((None,) * 4, None)
        self.packets: tuple[tuple[tuple[int, ...], ...], ...] = ()
        self.laid: dict[Seat, tuple[int, bytes]] = {}
        self.back: list[tuple[int, bytes]] = []
        self.salts = 0
        self.played: list[str] = []

    def deal(self, hakem: Seat, texts: list[str]) -> None:
        """A round begins with these hands, each in the order of the deal."""
        pack = pack_of(hakem, texts, self.table.rules.packets)
        self.packets = packets_of(pack, hakem, self.table.rules.packets)
        self.hands = hands_in(pack, hakem, self.table.rules.packets)
        self.laid, self.back = {}, []
        self.table = self.table._replace(hakem=hakem)
        self._log(Dealt())

    # Acts.

    def do(self, words: str) -> None:
        """Whatever the words say. Raises `HokmError` where it is refused."""
        self.played = []
        if match := re.fullmatch(r"refused: (.*)", words):
            before = self.table
            with pytest.raises(HokmError):
                self.do(match[1])
            assert self.table == before
        elif match := re.fullmatch(r"(\d) times out", words):
            ((seat, decision),) = to_act(self.table)
            assert seat == int(match[1])
            kind = overdue(self.table, decision.deadline_ms)
            assert kind is not None
            self._log(rule(self.table, kind, Supply(hands=self.hands)), decision.deadline_ms)
            self._settle()
        else:
            for seat, act in said(words):
                if isinstance(act, Laid):
                    self._lay(seat, act.card)
                else:
                    self.act(seat, act)
                if isinstance(act, TakeBack):
                    self.back.append(self.laid.pop(seat))

    def _lay(self, seat: Seat, card: int) -> None:
        salt = hashlib.sha256(b"salt %d" % self.salts).digest()
        self.salts += 1
        stage = self.table.stage
        trick, ctx, is_middle = 1, ceremony_of(1).ctx, False
        if isinstance(stage, Round):
            trick, ctx = len(stage.history) + 1, stage.ceremony.ctx
            is_middle = stage.extra is not None and stage.extra.middle == card
        act = LayEarly(early_commitment(ctx, trick, seat, card, salt), is_middle)
        self.act(seat, act, LaidCard(card, salt))
        self.laid[seat] = card, salt

    def act(self, seat: Seat, act: Act, laid: LaidCard | None = None) -> None:
        """One act of a seat, and what is due after it."""
        table = self.table
        signing = table.places[seat].signing
        move = Move(table.game_id, table.round, table.attempt, seat, signing.moves, table.version, bytes(32), None, act)
        assert due(table, table.time_ms) is None
        vouch(table, move)
        decide(table, move, table.time_ms, self.hands, laid)
        self._log(SignedMove(move, b"", b""))
        self._settle()

    def _settle(self) -> None:
        while (kind := due(self.table, self.table.time_ms)) is not None and isinstance(self.table.stage, Round):
            supply = Supply((bytes(32),) * 5, self.hands)
            if kind is EarlyTurned:
                supply = Supply(laid=(self.laid.pop(self.table.stage.turn),))
            elif kind is RoundRevealed:
                supply = Supply((bytes(32),) * 5, laid=tuple(self.back))
            self._log(rule(self.table, kind, supply))

    def _log(self, content: SignedMove | Ruling, time_ms: int | None = None) -> None:
        before = self.table
        event = Event(before.id, before.version + 1, bytes(32), time_ms or before.time_ms, content)
        self.table = evolve(before, event)
        self.played += _new_cards(before, self.table)

    def next_round(self) -> None:
        """The ceremony of the next round is behind."""
        stage = self.table.stage
        assert isinstance(stage, Between)
        ceremony = ceremony_of(stage.round)
        places = tuple(place._replace(returns=0) for place in self.table.places)
        self.table = self.table._replace(round=stage.round, places=places, stage=ceremony)


def ceremony_of(round_: int) -> Ceremony:
    """A ceremony in which everybody has revealed."""
    holders = tuple(Holder(SeatKind.PERSON, bytes([seat]) * 32) for seat in range(4))
    ctx = Context(b"g" * 32, Purpose.DEAL, round_, 0).to_bytes()
    return Ceremony(ctx, Purpose.DEAL, holders, b"h" * 32, (b"c" * 32,) * 4, b"s" * 32, (True,) * 4, (None,) * 4)


def _new_cards(before: Table, after: Table) -> list[str]:
    """What lies open on the table, or is won, and did not and was not before: seat and card."""
    return _all_plays(after)[len(_all_plays(before)) :] if isinstance(before.stage, Round) else []


def _all_plays(table: Table) -> list[str]:
    stage = table.stage
    if not isinstance(stage, Round):
        return []
    tricks = [(trick.leader, trick.cards) for trick in stage.history] + [(stage.leader, stage.trick)]
    return [f"{leader + step & 3} {card_text(card)}" for leader, cards in tricks for step, card in enumerate(cards)]


# What a scenario may ask.


def seen(scene: Scene, last: Round) -> dict[str, Any]:
    """Everything that a scenario may expect of the table; `last` is the round, also where it is over by now."""
    table, extra = scene.table, last.extra
    is_over = not isinstance(table.stage, Round)
    state = {
        "played": scene.played,
        "turn": None if is_over else last.turn,
        "trick": [f"{last.leader + step & 3} {card_text(card)}" for step, card in enumerate(last.trick)],
        "tricks": list(last.tricks),
        "trump": None if last.trump is None else "SHDC"[last.trump],
        "open": None if extra is None or extra.middle is None else card_text(extra.middle),
        "laid": [] if extra is None else [seat for seat, lay in enumerate(extra.lays) if lay is not None],
        "run": [] if extra is None else [card_text(card) for card in extra.run],
        "seen": [] if extra is None else sorted(card_text(card) for card in cards_of(extra.seen & ~last.played)),
        "sent": _sent(scene, last),
        "winner": round_winner(last.tricks),
        "points": points(last.hakem, last.tricks),
        "next_hakem": table.hakem if is_over else None,
    }
    if not is_over and last.trump is not None:
        hand = scene.hands.dealt[last.turn]
        assert hand is not None
        state["legal"] = sorted(card_text(card) for card in cards_of(may_play(last, hand)))
    return state


def _sent(scene: Scene, round_: Round) -> list[str]:
    """By seat, the cards of its own hand that it has been sent."""
    has_first = range(4) if scene.table.rules.open_first_packet or round_.trump is not None else [round_.hakem]
    packets = [(0, 1, 2) if round_.trump is not None else (0,) if seat in has_first else () for seat in range(4)]
    return [
        " ".join(card_text(card) for packet in packets[seat] for card in scene.packets[packet][seat])
        for seat in range(4)
    ]


def _plain(key: str, value: Any) -> Any:
    """A value of a scenario in the form in which `seen` has it: order matters where GAME.md gives one."""
    if key == "sent":
        return [parse_hand(text if isinstance(text, str) else " ".join(text)) for text in value]
    return value


def play(line: dict[str, Any], hands: list[str]) -> tuple[str | None, dict[str, Any]]:
    """Play a scenario with these hands: the reason of a refusal, and all that can be seen afterwards."""
    given = line["given"]
    scene = Scene(table_rules(given["rules"]))
    if "round_before" in given:
        before = given["round_before"]
        scene.deal(before["hakem"], before["hands"])
        for words in before["acts"]:
            scene.do(words)
        scene.next_round()
    scene.deal(given["hakem"], hands)
    for words in given["acts"]:
        scene.do(words)
    stage = scene.table.stage
    assert isinstance(stage, Round)
    before_last = scene.table
    refused, rounds = None, [stage]
    log = scene._log

    def watched(content: SignedMove | Ruling, time_ms: int | None = None) -> None:
        log(content, time_ms)
        if isinstance(scene.table.stage, Round):
            rounds.append(scene.table.stage)

    scene._log = watched  # type: ignore[method-assign]
    try:
        scene.do(line["act"])
    except HokmError as error:
        refused = error.reason
        assert scene.table == before_last, "a refused act changes nothing"
        scene.played = []
    return refused, seen(scene, rounds[-1])


@pytest.mark.parametrize("line", SCENARIOS, ids=lambda line: str(line["name"]))
def test_scene(line: dict[str, Any]) -> None:
    """What the scenario expects is what the table does."""
    refused, state = play(line, line["given"]["hands"])
    expect = dict(line["expect"])
    assert refused == expect.pop("refused", None)
    assert {key: _plain(key, state[key]) for key in expect} == {key: _plain(key, expect[key]) for key in expect}


TWINS = [line for line in SCENARIOS if "twin_hands" in line["given"]]


@pytest.mark.parametrize("line", TWINS, ids=lambda line: str(line["name"]))
def test_twins_are_told_the_same(line: dict[str, Any]) -> None:
    """Whoever acts learns nothing of the other three hands from the answer, nor from the table after it."""
    (refused, state), (other_refused, other_state) = (play(line, line["given"][key]) for key in ("hands", "twin_hands"))
    assert refused == other_refused
    del state["sent"], other_state["sent"]
    assert state == other_state


def test_some_scenario_has_twins() -> None:
    """The comparison above is made at all."""
    assert TWINS
