# SPDX-License-Identifier: Apache-2.0
"""A game as a record: what was dealt, named, played and won, with how long each card was thought about, as JSON.

A record is made from the entries of a proof file, which must follow from one another (as for `telling`); whether the
log and the players signed them is the proof's to show. `GameRecord.format` writes it, `GameRecord.parse` reads it
back to an equal value, and nothing else is taken. SPEC.md, 10.5, names every field.

Cards are notation (``AS``, ``TH``), seats 0 to 3, times milliseconds.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields, is_dataclass
from enum import StrEnum
from types import UnionType
from typing import Any, Final, NamedTuple, TypeVar, Union, get_args, get_origin, get_type_hints

from hokm.cards import Card, cards_text, hand_of, parse_cards, parse_suit, suit_text
from hokm.deal import deal, draw, packets_of
from hokm.errors import BadRecord, HokmError
from hokm.events import (
    CallMiddle,
    CeremonyOpened,
    EarlyTurned,
    Event,
    GameEnded,
    HakemDrawn,
    NameTrump,
    RoundRevealed,
    Run,
    ServerFault,
    SignedMove,
    TeaBegan,
    TimedOut,
)
from hokm.rules import TableRules, first_hakem, points, round_winner
from hokm.table import Ceremony, Round, Table
from hokm.verify.retrace import Retraced, retrace

FORMAT: Final = "hokm-record/1"
MOST_RECORD_BYTES: Final = 4 << 20

T = TypeVar("T")


class By(StrEnum):
    """How trumps were made, or a card came to the table."""

    PLAYER = "player"
    """By who held the seat: its player or a stand-in."""
    POLICY = "policy"
    """The deadline passed, and the house decided by `timeout-1`."""
    MIDDLE = "middle"
    """H1: the partner's middle was called."""
    EARLY = "early"
    """H2: it had been laid face down."""
    RUN = "run"
    """H3: as one card of a run."""


@dataclass(frozen=True, slots=True)
class SeatRecord:
    """Who sat down in a seat."""

    kind: str
    """``person`` or ``bot``."""
    key: str
    """The player's public key in hex."""


@dataclass(frozen=True, slots=True)
class DrawRecord:
    """How the first hakem was drawn."""

    start: int
    turned: str
    """The cards turned up, the first to the seat `start`, then to the right."""
    hakem: int


@dataclass(frozen=True, slots=True)
class TrickRecord:
    """One trick; the lists go with the cards, the lead first."""

    leader: int
    cards: str
    by: tuple[By, ...]
    think_ms: tuple[int, ...]
    """From the opening of the decision to the entry; 0 for a card that turned over or led by itself."""
    winner: int | None
    """None where the round ended within the trick."""


@dataclass(frozen=True, slots=True)
class RoundRecord:
    """One round."""

    round: int
    hakem: int
    attempts: int
    """Ceremonies that it took to deal."""
    hands: tuple[str, ...] | None
    """By seat, each in the order in which its cards were dealt; None where the numbers are not known."""
    trump: str | None
    trump_by: By | None
    trump_think_ms: int | None
    tricks: tuple[TrickRecord, ...]
    teas: int
    won: tuple[int, int]
    """Tricks of the even and of the odd side."""
    winner: int | None
    """0 the even side, 1 the odd side; None where the round was not played out."""
    points: int
    score: tuple[int, int] | None
    """After it; None where no RoundRevealed closed it."""


@dataclass(frozen=True, slots=True)
class GameRecord:
    """A game, or those rounds of it that the proof holds."""

    format_: str
    origin: str
    table: str
    game_id: str
    rules: dict[str, Any]
    """The options by their names in `TableRules`; enums by their names."""
    seats: tuple[SeatRecord, ...]
    draw: DrawRecord | None
    rounds: tuple[RoundRecord, ...]
    ending: str | None
    """TARGET, FORFEIT, RESIGNED, ABANDONED or SERVER_FAULT; None where the game was not over."""
    winner: int | None

    def format(self) -> bytes:
        """The record as JSON: always the same for an equal record."""
        fields_ = asdict(self)
        fields_["format"] = fields_.pop("format_")
        return json.dumps(fields_, ensure_ascii=False, indent=1, sort_keys=True).encode() + b"\n"

    @classmethod
    def parse(cls, octets: bytes) -> GameRecord:
        """The inverse of `format`. Raises `BadRecord`."""
        if len(octets) > MOST_RECORD_BYTES:
            raise BadRecord(f"it has more than {MOST_RECORD_BYTES} bytes")
        try:
            told = json.loads(octets)
        except (ValueError, RecursionError) as error:
            raise BadRecord(f"it is not JSON ({type(error).__name__})") from None
        if not isinstance(told, dict) or told.get("format") != FORMAT:
            raise BadRecord(f"it is not of the format {FORMAT}")
        told["format_"] = told.pop("format")
        made = _read(cls, told, "the record")
        _check(made)
        return made


def record(octets: bytes) -> GameRecord:
    """The record of what a proof file holds. Raises `Refused` where the entries do not hang together."""
    return record_of(retrace(octets))


def record_of(traced: Retraced) -> GameRecord:
    """The record of a proof that was walked along."""
    return _Writer().of(traced)


class _Play(NamedTuple):
    """One card on the table."""

    by: By
    think_ms: int


class _Rounding:
    """A round as it is taken down."""

    def __init__(self, table: Table, hands: tuple[str, ...] | None, attempts: int) -> None:
        assert isinstance(table.stage, Round)
        self.number = table.round
        self.hands = hands
        self.attempts = attempts
        self.stage = table.stage
        self.trump_by: By | None = None
        self.trump_think_ms: int | None = None
        self.plays: list[_Play] = []
        self.teas = 0

    def take(self, before: Round, event: Event, after: Table) -> None:
        """One entry of the round."""
        think_ms = 0 if before.decision is None else event.time_ms - before.decision.since_ms
        content = event.content
        act = content.move.act if isinstance(content, SignedMove) else None
        if isinstance(act, NameTrump | CallMiddle) or (isinstance(content, TimedOut) and content.trump is not None):
            self.trump_by = By.MIDDLE if isinstance(act, CallMiddle) else By.PLAYER if act else By.POLICY
            self.trump_think_ms = think_ms
        self.teas += isinstance(content, TeaBegan)
        if isinstance(after.stage, Round):
            new = len(_cards_of(after.stage)) - len(_cards_of(before))
            self._add(new, content, act, think_ms)
            self.stage = after.stage

    def _add(self, new: int, content: object, act: object, think_ms: int) -> None:
        for place in range(new):
            if isinstance(content, EarlyTurned) and not place:
                self.plays.append(_Play(By.EARLY, 0))
            elif isinstance(content, TimedOut) and not place:
                self.plays.append(_Play(By.POLICY, think_ms))
            elif act is not None and not place:
                self.plays.append(_Play(By.RUN if isinstance(act, Run) else By.PLAYER, think_ms))
            else:
                self.plays.append(_Play(By.RUN, 0))

    def record(self, closing: RoundRevealed | None) -> RoundRecord:
        """What was taken down, with the entry that closed the round."""
        stage, plays = self.stage, iter(self.plays)
        tricks = [(trick.leader, trick.cards, trick.winner) for trick in stage.history]
        if stage.trick:
            tricks.append((stage.leader, stage.trick, None))  # type: ignore[arg-type]
        taken = []
        for leader, cards, winner in tricks:
            these = [next(plays) for _ in cards]
            by, think_ms = tuple(play.by for play in these), tuple(play.think_ms for play in these)
            taken.append(TrickRecord(leader, cards_text(cards), by, think_ms, winner))
        return RoundRecord(
            round=self.number,
            hakem=stage.hakem,
            attempts=self.attempts,
            hands=self.hands,
            trump=None if stage.trump is None else suit_text(stage.trump),
            trump_by=self.trump_by,
            trump_think_ms=self.trump_think_ms,
            tricks=tuple(taken),
            teas=self.teas,
            won=stage.tricks,
            winner=round_winner(stage.tricks),
            points=points(stage.hakem, stage.tricks),
            score=None if closing is None else closing.score,
        )


def _cards_of(round_: Round) -> tuple[Card, ...]:
    """All cards that have come to the table, in order."""
    return (*(card for trick in round_.history for card in trick.cards), *round_.trick)


class _Writer:
    """Takes down one entry after another."""

    def __init__(self) -> None:
        self.draw: DrawRecord | None = None
        self.rounds: list[RoundRecord] = []
        self.current: _Rounding | None = None
        self.attempts = 1
        self.ending: str | None = None
        self.winner: int | None = None

    def of(self, traced: Retraced) -> GameRecord:
        """The record of a proof that was walked along."""
        reading, end = traced.reading, traced.end
        for before, event, after in traced.steps:
            self._take(traced, before, event, after)
        if self.current is not None:
            self.rounds.append(self.current.record(None))
        return GameRecord(
            format_=FORMAT,
            origin=reading.proof.origin,
            table=reading.proof.table.hex(),
            game_id=end.game_id.hex(),
            rules=_rules(end.rules),
            seats=tuple(SeatRecord(place.kind.name.lower(), place.public_key.hex()) for place in end.places),
            draw=self.draw,
            rounds=tuple(self.rounds),
            ending=self.ending,
            winner=self.winner,
        )

    def _take(self, traced: Retraced, before: Table, event: Event, after: Table) -> None:
        stage, content = before.stage, event.content
        if isinstance(stage, Round) and self.current is not None:
            self.current.take(stage, event, after)
        elif isinstance(after.stage, Round):
            self.current = _Rounding(after, _hands(traced, after), self.attempts)
        match content:
            case CeremonyOpened():
                self.attempts = after.attempt + 1
            case HakemDrawn(numbers, hakem):
                assert isinstance(stage, Ceremony)
                assert stage.commit_set is not None
                start, pack = draw(stage.commit_set, numbers)
                _, turned = first_hakem(before.rules.first_hakem, pack, start)
                self.draw = DrawRecord(start, cards_text(card for _, card in turned), hakem)
            case RoundRevealed() if self.current is not None:
                self.rounds.append(self.current.record(content))
                self.current = None
            case GameEnded(cause, winner):
                self.ending, self.winner = cause.name, winner
            case ServerFault():
                self.ending = "SERVER_FAULT"


def _hands(traced: Retraced, dealt: Table) -> tuple[str, ...] | None:
    """All four hands of the round that was just dealt, where its numbers are in the proof."""
    stage = dealt.stage
    assert isinstance(stage, Round)
    assert stage.ceremony.commit_set is not None
    for event in traced.reading.after(dealt.version):
        content = event.content
        if isinstance(content, RoundRevealed | ServerFault):
            if not content.numbers:
                return None
            packets = packets_of(deal(stage.ceremony.commit_set, content.numbers), stage.hakem, dealt.rules.packets)
            return tuple(cards_text(card for packet in packets for card in packet[seat]) for seat in range(4))
    return None


def _rules(rules: TableRules) -> dict[str, Any]:
    options = {field.name: getattr(rules, field.name) for field in fields(rules)}
    return {name: value.name if hasattr(value, "name") else value for name, value in options.items()}


# Reading.


def _read(kind: type[T], told: Any, where: str) -> T:
    """A dataclass of what JSON told: every field there, none besides, each of its type."""
    if not isinstance(told, dict):
        raise BadRecord(f"{where} is no object")
    hints = get_type_hints(kind)
    if told.keys() != hints.keys():
        odd = sorted(told.keys() ^ hints.keys())
        raise BadRecord(f"{where} has not the fields that it must: {', '.join(map(str, odd))}")
    return kind(**{name: _value(hint, told[name], f"{name} of {where}") for name, hint in hints.items()})


def _value(hint: Any, told: Any, where: str) -> Any:
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return None if told is None else _value(inner[0], told, where)
    if origin is tuple:
        if not isinstance(told, list) or (inner[-1] is not Ellipsis and len(told) != len(inner)):
            raise BadRecord(f"{where} is not the list that it must be")
        return tuple(_value(inner[0], each, where) for each in told)
    if is_dataclass(hint):
        return _read(hint, told, where)  # type: ignore[arg-type]
    if hint is By:
        if told not in [*By]:
            raise BadRecord(f"{where} is none of {', '.join(By)}")
        return By(told)
    kind = dict if origin is dict else hint
    if type(told) is not kind:
        raise BadRecord(f"{where} is not of its type")
    return told


def _check(made: GameRecord) -> None:
    """Raise `BadRecord` unless cards, suits, seats and sides are such, and the lists of a trick go with its cards."""
    seats = [trick.leader for round_ in made.rounds for trick in round_.tricks]
    seats += [trick.winner for round_ in made.rounds for trick in round_.tricks if trick.winner is not None]
    seats += [round_.hakem for round_ in made.rounds]
    sides = [side for side in (made.winner, *(round_.winner for round_ in made.rounds)) if side is not None]
    if not all(0 <= seat < 4 for seat in seats) or not all(0 <= side < 2 for side in sides):
        raise BadRecord("a seat is none of 0 to 3, or a side none of 0 and 1")
    try:
        for round_ in made.rounds:
            _check_round(round_)
    except HokmError as error:
        raise BadRecord(str(error)) from None


def _check_round(round_: RoundRecord) -> None:
    if round_.trump is not None:
        parse_suit(round_.trump)
    elif round_.tricks:
        raise BadRecord("cards were played before there were trumps")
    if not 0 <= round_.points <= 3:
        raise BadRecord("a round brings 0 to 3 points")
    if round_.hands is not None and len(round_.hands) != 4:
        raise BadRecord("there are not four hands")
    for hand in round_.hands or ():
        if hand_of(parse_cards(hand)).bit_count() != 13:
            raise BadRecord("a hand has not thirteen cards")
    for trick in round_.tricks:
        cards = parse_cards(trick.cards)
        if not 1 <= len(cards) <= 4 or not len(cards) == len(trick.by) == len(trick.think_ms):
            raise BadRecord("a trick has one to four cards, and as many ways and times")
        if min(trick.think_ms) < 0:
            raise BadRecord("a time to think is below 0")
        if (trick.winner is not None) and len(cards) < 4:
            raise BadRecord("a trick was taken before its fourth card")
