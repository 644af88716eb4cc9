# SPDX-License-Identifier: Apache-2.0
"""One game in memory: the table driven as a server drives it, by a clock that stands until a test moves it.

Every entry goes through `due`, `vouch` and `decide` first, as it would in the house; what they refuse raises. A test
plays with the words of the table (`sit`, `commit`, `play`, `leave`, `time_out`, …) or lets `play_game` and `wander`
play for it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Final

from hokm.cards import Card, cards_of
from hokm.deal import HOUSE_SEAT, commitment, early_commitment, house_number
from hokm.events import (
    Act,
    Anchor,
    CeremonyOpened,
    Commit,
    CommitSetWitnessed,
    Dealt,
    EarlyTurned,
    Event,
    Join,
    LayEarly,
    Leave,
    Move,
    NameTrump,
    Play,
    Protest,
    ProtestOnly,
    ProtestReason,
    Resign,
    Return,
    Reveal,
    RoundRevealed,
    Ruling,
    SeatKind,
    ServerFaultCause,
    SignedMove,
    StandInCause,
    StoodIn,
    TableOpened,
)
from hokm.merkle import leaf_hash
from hokm.proof import Proof, ProofKind
from hokm.rules import Seat, TableRules
from hokm.signing import SigningKey, pae
from hokm.table import (
    NO_HANDS,
    Ceremony,
    Hands,
    LaidCard,
    Over,
    Round,
    RulingKind,
    Supply,
    Table,
    decide,
    decide_stand_in,
    due,
    evolve,
    expires_ms,
    fault,
    hands_of,
    may_call_away,
    may_play,
    may_witness,
    next_context,
    opened,
    overdue,
    reopening,
    rule,
    signer,
    stand_in_wanted,
    to_act,
    vouch,
)
from hokm.wire import MOVE_TYPE, write_event, write_move, write_rules
from tests.simulation.house import TestHouse
from tests.simulation.mischief import DOWNTIME_MS, misbehave
from tests.simulation.proving import prove

PERSON: Final = SeatKind.PERSON
BOT: Final = SeatKind.BOT
FOUR_PERSONS: Final = (PERSON, PERSON, PERSON, PERSON)
TWO_AND_BOTS: Final = (PERSON, BOT, PERSON, BOT)

SHORT: Final = TableRules(target=3)
"""The shortest game there is."""


@dataclass(slots=True)
class Player:
    """Who sits in a seat."""

    kind: SeatKind
    key: SigningKey


@dataclass
class Game:
    """A stream, and all that a house and its players know of it."""

    house: TestHouse
    rules: TableRules = SHORT
    kinds: tuple[SeatKind, ...] = FOUR_PERSONS
    rematch_of: bytes = b""
    entries: list[bytes] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    leaves: list[bytes] = field(default_factory=list)
    places: list[int] = field(default_factory=list)
    """Of the entries in the tree."""
    anchors: dict[int, str] = field(default_factory=dict)
    """The checkpoint that the CeremonyOpened of a version is anchored in."""
    keys: dict[bytes, SigningKey] = field(default_factory=dict)
    """Every player's and stand-in's, by public key."""
    numbers: dict[tuple[bytes, Seat], bytes] = field(default_factory=dict)
    """What seats drew, by ctx and seat, the house's too."""
    moved: Counter[bytes] = field(default_factory=Counter)
    """Moves by public key."""
    signers: dict[bytes, bytes] = field(default_factory=dict)
    """Whose each signature under a move is."""
    hands: Hands = NO_HANDS
    laid: dict[int, tuple[Card, bytes]] = field(default_factory=dict)
    """Card and salt of each lay, by the version of its LayEarly."""

    def __post_init__(self) -> None:
        self.rng = self.house.rng
        self.id = (self.house.now_ms << 80 | self.rng.getrandbits(80)).to_bytes(16, "big")
        self.players = [Player(kind, self.new_key()) for kind in self.kinds]
        rules = write_rules(self.rules)
        self.event_key = self.house.event_key
        content = TableOpened(self.house.octets(), self.rules, rules, self.house.manifest_leaf, self.rematch_of)
        event = Event(self.id, 0, bytes(32), self.house.now_ms, content)
        self.table = opened(self.house.house, event)
        self._append(event)

    def new_key(self) -> SigningKey:
        key = self.house.new_key()
        self.keys[key.public] = key
        return key

    # The log.

    @property
    def now_ms(self) -> int:
        return max(self.house.now_ms, self.table.time_ms)

    @property
    def over(self) -> bool:
        return isinstance(self.table.stage, Over)

    def _append(self, event: Event) -> None:
        entry = self.house.sign_event(write_event(event), self.event_key)
        self.entries.append(entry)
        self.events.append(event)
        self.leaves.append(leaf_hash(entry))
        self.places.append(self.house.append(entry))

    def log(self, content: SignedMove | Ruling) -> None:
        """One entry more, unasked."""
        event = Event(self.id, self.table.version + 1, self.leaves[-1], self.now_ms, content)
        self.table = evolve(self.table, event)
        self._append(event)

    # Rulings.

    def supply(self) -> Supply:
        """What the house knows besides the public entries."""
        stage = self.table.stage
        ceremony = stage.ceremony if isinstance(stage, Round) else stage
        if not isinstance(ceremony, Ceremony):
            return Supply(hands=self.hands)
        come = [seat for seat in range(4) if ceremony.revealed[seat]]
        numbers = [self.numbers[ceremony.ctx, seat] if seat in come else None for seat in range(4)]
        return Supply(numbers=(*numbers, self.numbers[ceremony.ctx, HOUSE_SEAT]), hands=self.hands)

    def rule(self, kind: RulingKind) -> None:
        """Log the ruling of that kind, whether it is due or not."""
        table = self.table
        if kind is StoodIn:
            wanted = stand_in_wanted(table)
            assert wanted is not None
            self.stand_in(*wanted)
            return
        if kind is CeremonyOpened:
            checkpoint = self.house.publish()
            size, root = len(self.house.leaves), self.house.checkpoint().root
            self.anchors[table.version + 1] = checkpoint
            ctx = next_context(table).to_bytes()
            number = house_number(self.house.secret, ctx)
            self.numbers[ctx, HOUSE_SEAT] = number
            made = commitment(ctx, HOUSE_SEAT, self.event_key.public, number)
            self.log(rule(table, kind, Supply(house_commitment=made, anchor=Anchor(size, root))))
            return
        self.log(rule(table, kind, replace(self.supply(), laid=self.opened_by(kind))))
        stage = self.table.stage
        if kind is Dealt:
            assert isinstance(stage, Round)
            assert stage.ceremony.commit_set is not None
            ctx = stage.ceremony.ctx
            five = tuple(self.numbers[ctx, seat] for seat in range(5))
            self.hands = hands_of(stage.ceremony.commit_set, five, stage.hakem, self.rules.packets)

    def opened_by(self, kind: RulingKind) -> tuple[tuple[Card, bytes], ...]:
        """The lays that a ruling of that kind opens now."""
        stage = self.table.stage
        if not isinstance(stage, Round) or stage.extra is None:
            return ()
        turning = stage.extra.lays[stage.turn]
        lays = (turning,) if kind is EarlyTurned else stage.extra.unturned if kind is RoundRevealed else ()
        return tuple(self.laid[lay.version] for lay in lays if lay is not None)

    @property
    def is_due(self) -> bool:
        """Whether a ruling has to come next."""
        return due(self.table, self.now_ms) is not None

    def revoke(self) -> None:
        """The event key is revoked; the new one ends the game."""
        self.house.rotate(revoke=True)
        self.end_by_new_key()

    def end_by_new_key(self, **changes: Any) -> None:
        """The house has a new event key and ends the game with it; `changes` are those of a liar."""
        numbers = self.supply().numbers
        self.event_key = self.house.event_key
        content = fault(self.table, ServerFaultCause.KEY_REVOKED, numbers)
        if isinstance(self.table.stage, Round):
            content = content._replace(numbers=tuple(number for number in numbers if number is not None))
        self.log(content._replace(**changes))

    def stand_in(self, seat: Seat, cause: StandInCause, key: SigningKey | None = None) -> None:
        """A stand-in takes the seat, with a new key where none is given."""
        key = key or self.new_key()
        join = self.sign(
            Move(
                bytes(32),
                self.table.round,
                self.table.attempt,
                seat,
                0,
                self.table.version,
                self.leaves[-1],
                None,
                Join(BOT, key.public, self.house.octets()),
            ),
            key,
        )
        decide_stand_in(self.table, join.move)
        self.moved[key.public] += 1
        self.log(StoodIn(seat, join, cause))

    def settle(self) -> None:
        """Log all that is due."""
        while (kind := due(self.table, self.now_ms)) is not None:
            self.rule(kind)

    def time_out(self) -> None:
        """Wait until a deadline has passed and log what it brings."""
        self.settle()
        expiry = expires_ms(self.table)
        assert expiry is not None
        self.house.now_ms = max(self.house.now_ms, expiry)
        kind = due(self.table, self.now_ms) or overdue(self.table, self.now_ms)
        assert kind is not None
        self.rule(kind)

    def call_away(self) -> None:
        """Wait as long as it takes and say that who is to act is away."""
        self.settle()
        ((seat, decision),) = to_act(self.table)
        self.house.now_ms = max(self.house.now_ms, decision.since_ms + 1000 * self.rules.away_seconds)
        assert may_call_away(self.table, seat, self.now_ms)
        self.stand_in(seat, StandInCause.AWAY)

    def reopen(self, downtime_ms: int = DOWNTIME_MS) -> None:
        """The house was down and begins what has passed anew."""
        self.settle()
        self.house.wait(downtime_ms)
        anew = reopening(self.table, self.now_ms)
        assert anew is not None
        self.log(anew)

    def witness(self, **changes: Any) -> None:
        """The log is published with the commit set in it, cosigned, and shown; `changes` are those of a liar."""
        self.settle()
        assert may_witness(self.table, self.now_ms)
        self.log(witnessed(self.house, self.places[self.ceremony.closed or 0])._replace(**changes))

    def fail(self, cause: ServerFaultCause = ServerFaultCause.SEALED_LOST) -> None:
        """The house says that it failed."""
        self.log(fault(self.table, cause, self.supply().numbers))

    # Moves.

    def sign(self, move: Move, key: SigningKey) -> SignedMove:
        body = write_move(move)
        signed = SignedMove(move, body, key.sign(pae(MOVE_TYPE, body)))
        self.signers[signed.signature] = key.public
        return signed

    def draft(self, seat: Seat, act: Act, protest: Protest | None = None) -> Move:
        """The move by which that seat does it now, its head right."""
        table = self.table
        move = Move(
            bytes(32) if isinstance(act, Join) else table.game_id,
            table.round,
            table.attempt,
            seat,
            0,
            table.version,
            self.leaves[-1],
            protest,
            act,
        )
        return move._replace(number=self.moved[signer(table, move)])

    def do(self, seat: Seat, act: Act, protest: Protest | None = None, laid: LaidCard | None = None) -> None:
        """That seat does it, if the table lets it."""
        self.settle()
        move = self.draft(seat, act, protest)
        assert overdue(self.table, self.now_ms) is None
        vouch(self.table, move)
        decide(self.table, move, self.now_ms, self.hands, laid)
        key = self.keys[signer(self.table, move)]
        self.moved[key.public] += 1
        self.log(self.sign(move, key))

    def sit(self) -> None:
        """All four join, and the game starts."""
        for seat, player in enumerate(self.players):
            self.house.wait(500)
            self.join(seat, player)
        self.settle()

    def join(self, seat: Seat, player: Player) -> None:
        self.do(seat, Join(player.kind, player.key.public, self.house.octets()))

    def commit(self, seat: Seat) -> None:
        ceremony = self.ceremony
        number = self.house.octets()
        holder = ceremony.holders[seat].public_key
        self.do(seat, Commit(commitment(ceremony.ctx, seat, holder, number)))
        self.numbers[ceremony.ctx, seat] = number

    def reveal(self, seat: Seat) -> None:
        ceremony = self.ceremony
        assert ceremony.commit_set is not None
        self.do(seat, Reveal(ceremony.ctx, ceremony.commit_set))

    def name_trump(self, suit: int | None = None) -> None:
        self.do(self.round.hakem, NameTrump(self.rng.randrange(4) if suit is None else suit))

    def play(self, choose: Callable[[list[int]], int] | None = None) -> None:
        """The seat in turn plays a legal card."""
        self.settle()
        round_ = self.round
        hand = self.hands.dealt[round_.turn]
        assert hand is not None
        legal = list(cards_of(may_play(round_, hand)))
        self.do(round_.turn, Play((choose or self.rng.choice)(legal)))

    def lay(self, seat: Seat, card: Card) -> None:
        """That seat lays a card face down."""
        self.settle()
        round_, salt = self.round, self.house.octets()
        made = early_commitment(round_.ceremony.ctx, round_.trick_number, seat, card, salt)
        is_middle = round_.extra is not None and round_.extra.middle == card
        self.do(seat, LayEarly(made, is_middle), laid=LaidCard(card, salt))
        self.laid[self.table.version] = card, salt

    def leave(self, seat: Seat) -> None:
        self.do(seat, Leave())

    def come_back(self, seat: Seat) -> None:
        self.do(seat, Return())

    def resign(self, seat: Seat) -> None:
        self.do(seat, Resign())

    def protest(self, seat: Seat, reason: ProtestReason = ProtestReason.CLOCK) -> None:
        self.do(seat, ProtestOnly(), Protest(self.last_ctx, reason))

    @property
    def last_ctx(self) -> bytes:
        """The ctx of the last ceremony."""
        return next(event.content.ctx for event in reversed(self.events) if isinstance(event.content, CeremonyOpened))

    @property
    def ceremony(self) -> Ceremony:
        self.settle()
        assert isinstance(self.table.stage, Ceremony)
        return self.table.stage

    @property
    def round(self) -> Round:
        assert isinstance(self.table.stage, Round)
        return self.table.stage

    # Stretches of a game.

    def step(self) -> None:
        """Somebody who is to act does so, a second later."""
        self.settle()
        self.house.wait(self.rng.randrange(200, 1800))
        self.settle()
        if may_witness(self.table, self.now_ms):
            self.witness()
        if not to_act(self.table):
            return
        seat, _ = self.rng.choice(to_act(self.table))
        match self.table.stage:
            case Ceremony(commit_set=None):
                self.commit(seat)
            case Ceremony():
                self.reveal(seat)
            case Round(trump=None):
                self.name_trump()
            case _:
                self.play()
        self.settle()

    def until(self, reached: Callable[[Table], bool]) -> None:
        """Play on until the table is so."""
        while not reached(self.table):
            self.step()

    def play_ceremony(self) -> None:
        """Play on until the ceremony at hand is over."""
        self.settle()
        self.until(lambda table: not isinstance(table.stage, Ceremony))

    def play_round(self) -> None:
        """Play on until the round at hand, or the next one, is over and what follows has begun."""
        self.settle()
        number = max(self.table.round, 1)
        self.until(lambda table: isinstance(table.stage, Over) or table.round > number)

    def play_game(self) -> None:
        """Play to the end."""
        self.until(lambda table: isinstance(table.stage, Over))

    def wander(self, mischief: float = 0.1, most_rounds: int = 4) -> None:
        """Play to the end, with all that can go wrong: silence, leaving, being called away, the house being down."""
        while not self.over:
            if self.rng.random() < mischief or self.table.round > most_rounds:
                self._misbehave(self.table.round > most_rounds)
            else:
                self.step()
            self.settle()

    def _misbehave(self, to_an_end: bool) -> None:
        misbehave(self, to_an_end=to_an_end)

    # Proofs.

    def versions(self, kind: RulingKind) -> list[int]:
        """The versions of all rulings of that kind."""
        return [event.version for event in self.events if isinstance(event.content, kind)]

    def game_proof(self) -> Proof:
        """The proof of the whole stream, at a checkpoint that is made now."""
        return prove(self, ProofKind.GAME, None, 0, len(self.entries) - 1)

    def round_proof(self, number: int) -> Proof:
        """The proof of one round that was played."""
        closing = self.versions(RoundRevealed)
        first = closing[number - 2] if number > 1 else 0
        return prove(self, ProofKind.ROUND, number, first, closing[number - 1])


def witnessed(house: TestHouse, place: int) -> CommitSetWitnessed:
    """How the house shows that witnesses have seen the leaf at that place: a checkpoint that they cosign now."""
    size = len(house.leaves)
    return CommitSetWitnessed(house.publish(), place, house.inclusion(place, size))
