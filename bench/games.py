# SPDX-License-Identifier: Apache-2.0
"""Games that are really played: what the players of one table have seen, and the signed move that each makes next.

Draws, commitments, legal cards and signatures are real, and come from the functions of the core; there is no network
here. What players check besides, and keep on their disks, is left out: it is the server that is measured. The four
of a table share one fold of its entries.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from hokm.cards import hand_of
from hokm.deal import commitment
from hokm.entry import leaf, parse_entry, sign_move
from hokm.events import Act, Commit, Join, Move, NameTrump, Play, Reveal, SeatKind, SignedMove
from hokm.hand import read_hand
from hokm.signing import SigningKey
from hokm.table import Ceremony, Decision, House, Over, Round, Table, evolve, may_play, open_decision, opened
from hokm.v1 import tables_service_pb2 as pb
from hokm.wire import read_event, write_move

Entropy = Callable[[int], bytes]

NO_GAME = bytes(32)


class Seat:
    """One player at one table."""

    __slots__ = ("answered", "ctx", "hand", "key", "moves", "number", "seat")

    def __init__(self, seat: int, key: SigningKey) -> None:
        self.seat = seat
        self.key = key
        self.moves = 0
        self.number = b""
        """Of the ceremony at hand."""
        self.ctx = b""
        self.hand = 0
        """The cards of that deal, as far as they have come."""
        self.answered: Decision | None = None
        """What it has made a move for."""


class Game:
    """One table, as its four players see it."""

    __slots__ = ("_entropy", "_house", "_kind", "_leaf", "moves", "seats", "table")

    def __init__(
        self, house: House, kind: SeatKind, keys: Sequence[SigningKey], entry: bytes, entropy: Entropy
    ) -> None:
        """`entry` is the first of the table, as it was answered."""
        self._house = house
        self._kind = kind
        self._entropy = entropy
        self.seats = [Seat(seat, key) for seat, key in enumerate(keys)]
        self.moves = 0
        """Those that have become entries."""
        self.table: Table = opened(house, read_event(parse_entry(entry).body))
        self._leaf = leaf(entry)

    @property
    def is_over(self) -> bool:
        """The game has ended."""
        return isinstance(self.table.stage, Over)

    def take(self, first_version: int, entries: Sequence[bytes]) -> None:
        """Fold those entries that are new."""
        for entry in entries[max(0, self.table.version + 1 - first_version) :]:
            event = read_event(parse_entry(entry).body)
            self.table = evolve(self.table, event)
            self._leaf = leaf(entry)
            self.moves += type(event.content) is SignedMove

    def take_hands(self, notes: Iterable[pb.SignedHandNote]) -> None:
        """Cards of some seats."""
        for signed in notes:
            note = read_hand(signed.note)
            player = self.seats[note.seat]
            if player.ctx != note.ctx:
                player.ctx, player.hand = note.ctx, 0
            player.hand |= hand_of(note.cards)

    def join(self, seat: int) -> pb.SignedAct:
        """Sit down."""
        player = self.seats[seat]
        return self._signed(player, Join(self._kind, player.key.public, self._entropy(32)), NO_GAME)

    def next_act(self, seat: int) -> pb.SignedAct | None:
        """The move that this seat makes now, the same one only once; None where it waits for others."""
        player, table = self.seats[seat], self.table
        decision = open_decision(table, seat)
        if decision is None or decision == player.answered:
            return None
        match table.stage:
            case Ceremony(commit_set=None) as stage:
                player.number = self._entropy(32)
                act = self._signed(player, Commit(commitment(stage.ctx, seat, player.key.public, player.number)))
            case Ceremony(commit_set=bytes(commit_set)) as stage:
                act = self._signed(player, Reveal(stage.ctx, commit_set))
                act.number = player.number
            case Round(ceremony, trump=trump) as stage:
                cards = player.hand.bit_count() if player.ctx == ceremony.ctx else 0
                if cards != (5 if trump is None else 13):
                    return None  # they are on their way
                legal = may_play(stage, player.hand)
                lowest = (legal & -legal).bit_length() - 1
                act = self._signed(player, NameTrump(lowest // 13) if trump is None else Play(lowest))
            case stage:
                raise AssertionError(stage)
        player.answered = decision
        return act

    def _signed(self, player: Seat, act: Act, game_id: bytes | None = None) -> pb.SignedAct:
        table = self.table
        game_id = table.game_id if game_id is None else game_id
        number, version = player.moves, table.version
        body = write_move(
            Move(game_id, table.round, table.attempt, player.seat, number, version, self._leaf, None, act)
        )
        player.moves += 1
        return pb.SignedAct(table_id=table.id, move=body, signature=sign_move(body, player.key))
