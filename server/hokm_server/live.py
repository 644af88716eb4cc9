# SPDX-License-Identifier: Apache-2.0
"""One table in memory: what is durable of it, the moves that wait, and who watches.

There is one queue per table. While entries of a table are being written, what comes for it waits; when they are durable
everything that waits becomes the next draft. So nothing is decided on a state that could still fail.
"""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Callable
from typing import NamedTuple

from hokm.entry import leaf as leaf_of_entry
from hokm.errors import HokmError, SatDownTooOften, TableBusy
from hokm.events import CommitSetWitnessed, SeatKind, ServerFaultCause, SignedMove
from hokm.hand import HandNote, sign_hand, write_hand
from hokm.table import Over, Round, Seating, Table, may_call_away, seated
from hokm.v1 import tables_service_pb2 as pb
from hokm_server.access import sees
from hokm_server.auth import Viewer
from hokm_server.clock import Alarm
from hokm_server.draft import NO_SECRETS, Beside, Draft, Release, Secrets
from hokm_server.feed import Feed, HandsFor, Subscription
from hokm_server.shares import Caller, Share
from hokm_server.signets import Signet
from hokm_server.throwing import Throws

KEPT_ENTRIES = 32
"""Of one table in memory at least; twice as many at most, which is a round."""

MOST_WAITING = 16
"""Moves of one caller that may wait for one table: nobody's moves keep those of others out."""
MOST_CALLERS = 64
"""Callers whose moves may wait for one table."""
MOVES_BEFORE_START = 4
"""Of one caller at one table."""
MOVES_OF_ADDRESS = 16
"""Of all callers of one address: four players of one house, each as often as it may."""


class Made(NamedTuple):
    """The entry that a move made."""

    version: int
    entry: bytes
    again: bool = False
    """It was made before, by the same bytes, and is not being published now."""


Answer = Callable[[Made | HokmError], None]
"""Called once with what became of a move."""


class Waiting(NamedTuple):
    """A move that waits for its table."""

    caller: bytes
    """The key that has signed in."""
    signed: SignedMove
    beside: Beside
    answer: Answer


class LiveTable:
    """One table in memory."""

    __slots__ = (
        "_before_start",
        "_first_kept",
        "_kept",
        "_leaves",
        "_moves",
        "_unanswered",
        "alarm",
        "alarm_ms",
        "feed",
        "id",
        "last_sign_ms",
        "older",
        "opener",
        "releases",
        "rematch_of",
        "reopen",
        "sealed_lost",
        "seats_before",
        "secrets",
        "signet",
        "table",
        "throws",
        "waiting",
        "witnessed",
        "writing",
    )

    def __init__(self, table_id: bytes, signet: Signet, older: Callable[[bytes, int, int], list[bytes]]) -> None:
        """`older` reads entries of a stream from the store: id, first version, how many at most."""
        self.id = table_id
        self.signet = signet
        self.older = older
        self.table: Table | None = None
        self.opener: Caller | None = None
        """Who opened it, unless that was before the server started."""
        self.rematch_of = b""
        """The table of the game before, where this is a rematch."""
        self.seats_before: tuple[bytes, ...] = ()
        """Whose keys had the seats there, once somebody has asked."""
        self._before_start = Share(MOVES_BEFORE_START, MOVES_OF_ADDRESS, SatDownTooOften)
        """Moves before the start, but for those that give a seat back: a table takes 64 of all, then it is over."""
        self._unanswered: set[bytes] = set()
        """The bytes of those that are counted and not answered."""
        self.secrets: Secrets = NO_SECRETS
        self.releases: list[Release] = []
        """Of the round that is played."""
        self.feed = Feed()
        self.waiting: deque[Waiting] = deque()
        self.writing = False
        """Entries of this table are on their way to the disk."""
        self.alarm: Alarm | None = None
        self.alarm_ms = 0
        """When it rings."""
        self.reopen = False
        """The house was down: deadlines that have passed begin anew before they bring anything."""
        self.sealed_lost = False
        """A number that was given in confidence is not there any more."""
        self.witnessed: CommitSetWitnessed | None = None
        """What shows that witnesses have seen the commit set for which the table waits, once it is there."""
        self.last_sign_ms = [0] * 4
        """By seat, when its player closed a stream or sent a move last."""
        self.throws = Throws()
        self._first_kept = 0
        self._kept: list[bytes] = []
        self._leaves: list[bytes] = []
        self._moves = array("q")
        """By version from 0 on, Python's own hash of the move that made the entry: nobody outside can foresee it."""

    # The log of this table.

    @property
    def there(self) -> Table:
        """The table, which is there once its first entry is durable."""
        assert self.table is not None
        return self.table

    @property
    def is_over(self) -> bool:
        """The stream has ended."""
        return self.table is not None and isinstance(self.table.stage, Over)

    @property
    def owed_fault(self) -> ServerFaultCause | None:
        """Why the house has to end the game by its own fault, if it has to."""
        if self.signet.is_revoked:
            return ServerFaultCause.KEY_REVOKED
        return ServerFaultCause.SEALED_LOST if self.sealed_lost else None

    def take(self, draft: Draft) -> None:
        """A draft has become durable."""
        self.keep(draft.entries, draft.leaves, draft.moves)
        if draft.releases:
            self.releases = [*self.releases, *draft.releases]
        self.table = draft.table
        self.secrets = draft.secrets
        self.reopen = draft.reopens
        if not self.secrets.packets:
            self.releases = []

    def keep(self, entries: list[bytes], leaves: list[bytes], moves: list[bytes]) -> None:
        """Keep more durable entries in memory, and forget the oldest: the store has them all.

        Of each move that made one a hash is kept to the end, so that a move is known again without reading.
        """
        self._moves.extend(map(hash, moves))
        self._kept += entries
        self._leaves += leaves
        drop = len(self._kept) - KEPT_ENTRIES
        if drop > KEPT_ENTRIES:
            del self._kept[:drop]
            del self._leaves[:drop]
            self._first_kept += drop

    def leaf(self, version: int) -> bytes | None:
        """The leaf of a durable entry, None where there is none."""
        place = version - self._first_kept
        if place >= len(self._leaves):
            return None
        if place >= 0:
            return self._leaves[place]
        return leaf_of_entry(self.older(self.id, version, 1)[0])

    def kept(self, first: int, most: int) -> list[bytes]:
        """Up to `most` durable entries from that version on; none where it is in memory no more."""
        place = first - self._first_kept
        return self._kept[place : place + most] if place >= 0 else []

    def made_by(self, body: bytes) -> Made | None:
        """The entry that a move of these very bytes has made, if it has."""
        mark = hash(body)
        if mark not in self._moves:
            return None
        version = self._moves.index(mark)
        (entry,) = self.kept(version, 1) or self.older(self.id, version, 1)
        return Made(version, entry, again=True) if body in entry else None

    # Those who act.

    def is_seated(self, viewer: Viewer) -> bool:
        """The caller has a seat, also while a stand-in plays it."""
        return any(place.public_key == viewer.public_key for place in seated(self.there))

    def check_waiting(self, viewer: Viewer) -> None:
        """Whether one more move of this caller may wait; the operator's always may. Raises `TableBusy`."""
        if viewer.is_operator or not self.waiting:
            return
        if sum(waiting.caller == viewer.public_key for waiting in self.waiting) >= MOST_WAITING:
            raise TableBusy(MOST_WAITING)
        if len(self.waiting) >= MOST_WAITING * MOST_CALLERS and not self.is_seated(viewer):
            raise TableBusy(MOST_WAITING * MOST_CALLERS)

    def before_start(self, viewer: Viewer, body: bytes, answer: Answer) -> Answer:
        """Count a move before the start, unless the answer is that it made no entry. Raises `SatDownTooOften`.

        Of the same bytes, sent again before they are answered, one is counted.
        """
        if body in self._unanswered:
            return answer
        self._before_start.take(viewer.caller)
        self._unanswered.add(body)

        def counted(outcome: Made | HokmError) -> None:
            self._unanswered.discard(body)
            if isinstance(outcome, HokmError) or outcome.again:
                self._before_start.give_back(viewer.caller)
            answer(outcome)

        return counted

    # Those who watch.

    def hands_for(self, after: int, upto: int) -> HandsFor:
        """The cards of a viewer's seats that entries after one version and up to another released, as signed notes."""
        released = [release for release in self.releases if after < release.version <= upto]

        def notes(subscription: Subscription) -> list[pb.SignedHandNote]:
            if not released:
                return []
            seats = [seat for seat in subscription.seats if sees(self.there, subscription.viewer, seat)]
            return [
                self._note(release, seat, packet)
                for seat in seats
                for release in released
                for owner, packet in release.packets
                if owner == seat
            ]

        return notes

    def _note(self, release: Release, seat: int, packet: int) -> pb.SignedHandNote:
        cards = self.secrets.packets[packet - 1][seat]
        body = write_hand(HandNote(self.secrets.ctx, seat, packet, cards, release.version, release.leaf))
        return pb.SignedHandNote(note=body, signature=sign_hand(body, self.signet.key))

    def watched_by(self, subscription: Subscription) -> None:
        """One more who watches; the newest stream of a player takes the player's seats over."""
        viewer, seats = subscription.viewer, set(subscription.seats)
        for other in tuple(self.feed.players) if seats else ():
            same = other.viewer.public_key == viewer.public_key and seats.intersection(other.seats)
            if same and other.outbox is not subscription.outbox:
                other.end(pb.STREAM_END_TAKEN_OVER)
        self.feed.add(subscription)

    def left_by(self, subscription: Subscription, now_ms: int) -> None:
        """One less who watches."""
        self.feed.remove(subscription)
        for seat in subscription.seats:
            self.sign_of_life(subscription.viewer.public_key, seat, now_ms)

    def sign_of_life(self, public_key: bytes, seat: int, now_ms: int) -> bool:
        """Somebody is there: whether it is the player of that seat, who is not away then."""
        table = self.table
        if table is None or isinstance(table.stage, Seating) or not table.places:
            return False
        if table.places[seat].public_key != public_key:
            return False
        self.last_sign_ms[seat] = now_ms
        return True

    def _is_watched_by_player(self, seat: int) -> bool:
        key = self.there.places[seat].public_key
        return any(seat in other.seats and other.viewer.public_key == key for other in self.feed.players)

    def away_ms(self) -> int | None:
        """When the person whose card or naming of trumps is waited for counts as away; None where nobody can.

        Who watches then does not, and a sign of life puts it off.
        """
        table = self.there
        stage = table.stage
        if not isinstance(stage, Round) or stage.decision is None or not table.rules.away_seconds:
            return None
        place = table.places[stage.turn]
        if place.kind is not SeatKind.PERSON or place.absent is not None:
            return None
        return max(stage.decision.since_ms, self.last_sign_ms[stage.turn]) + 1000 * table.rules.away_seconds

    def away_seat(self, now_ms: int) -> int | None:
        """The seat of the person who counts as away now."""
        away, stage = self.away_ms(), self.there.stage
        if away is None or now_ms < away or not isinstance(stage, Round) or self._is_watched_by_player(stage.turn):
            return None
        return stage.turn if may_call_away(self.there, stage.turn, now_ms) else None
