# SPDX-License-Identifier: Apache-2.0
"""A round or a game as people would tell it at the table, in English or Persian, from the entries of its proof.

Told is what the entries say: the draw, each deal with all four hands, who named trumps, every trick with who cut and
who took it, and how it ended. They must follow from one another (steps 1 and 5 to 12), else nothing is told; whether
the log and the players signed them is for the verification, and not asked here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from hokm.cards import (
    Card,
    Hand,
    card_persian,
    card_symbol,
    cards_of,
    hand_symbols,
    persian_digits,
    rank_persian,
    suit_persian,
)
from hokm.deal import draw
from hokm.events import (
    AnswerTea,
    AskTea,
    CallMiddle,
    CeremonyVoided,
    EarlyTurned,
    Event,
    GameEndCause,
    GameEnded,
    HakemDrawn,
    Leave,
    MiddleTurned,
    NameTrump,
    ProtestOnly,
    Resign,
    Return,
    RoundRevealed,
    Run,
    SeatKind,
    ServerFault,
    SignedMove,
    StoodIn,
    TableOpened,
    TeaBegan,
    TeaEnded,
    TimedOut,
    VoidCause,
)
from hokm.languages import Language
from hokm.rules import Seat, first_hakem, side_of
from hokm.table import NO_HANDS, Ceremony, Hands, Round, Table, Trick, hands_of
from hokm.verify.reading import Reading
from hokm.verify.retrace import Retraced, retrace


@dataclass(frozen=True, slots=True)
class Words:
    """The words of one language; braces are filled in."""

    card: Callable[[Card], str]
    hand: Callable[[Hand], str]
    number: Callable[[int], str]
    comma: str
    suits: tuple[str, str, str, str]
    sides: tuple[str, str]
    kinds: dict[SeatKind, str]
    game: str
    round: str
    seat: str
    hakem_stays: str
    draw: str
    hands: str
    five: str
    names: str
    named_for: str
    calls: str
    middle: str
    turned: str
    runs: str
    asks_for_tea: str
    refuses_tea: str
    tea: str
    tea_over: str
    trick: str
    cut: str
    takes: str
    missed: str
    leaves: str
    comes_back: str
    resigns: str
    protests: str
    stand_in: str
    no_commitment: str
    no_number: str
    won: str
    unfinished: str
    points: dict[int, str]
    score: str
    endings: dict[GameEndCause, str]
    victory: str
    nobody: str
    fault: str
    not_revealed: str
    cut_short: str


def tell(octets: bytes, language: Language) -> Iterator[str]:
    """The lines of the story in a proof file. Raises `Refused` where the entries do not hang together."""
    traced = retrace(octets)
    yield from _Teller(traced.reading, WORDS[language]).lines(traced)


class _Teller:
    """Tells one entry after another."""

    def __init__(self, reading: Reading, words: Words) -> None:
        self.reading = reading
        self.words = words

    def lines(self, traced: Retraced) -> Iterator[str]:
        words, number = self.words, self.words.number
        first = (self.reading.opening or self.reading.events)[0].content
        assert isinstance(first, TableOpened)
        yield words.game.format(table=self.reading.proof.table.hex(), target=number(first.rules.target))
        for seat, place in enumerate(traced.end.places):
            side = words.sides[side_of(seat)]
            yield words.seat.format(seat=number(seat), kind=words.kinds[place.kind], side=side)
        over = False
        for before, event, after in traced.steps:
            yield from self._entry(before, event, after)
            over = isinstance(event.content, GameEnded | ServerFault)
        if not over and isinstance(traced.end.stage, Round | Ceremony):
            yield words.cut_short

    def _entry(self, before: Table, event: Event, after: Table) -> Iterator[str]:
        words, number = self.words, self.words.number
        content = event.content
        match content:
            case SignedMove(move):
                yield from self._move(before, after, move.seat, move.act)
            case HakemDrawn(numbers, hakem):
                stage = before.stage
                assert isinstance(stage, Ceremony)
                assert stage.commit_set is not None
                start, pack = draw(stage.commit_set, numbers)
                _, turned = first_hakem(before.rules.first_hakem, pack, start)
                shown = words.comma.join(f"{number(seat)}: {words.card(card)}" for seat, card in turned)
                yield words.draw.format(cards=shown, hakem=number(hakem))
            case TimedOut(seat, trump):
                yield words.missed.format(seat=number(seat))
                if trump is not None:
                    yield words.named_for.format(seat=number(seat), suit=words.suits[trump])
                yield from self._trick(before, after)
            case MiddleTurned(card):
                yield words.middle.format(card=words.card(card), suit=words.suits[card // 13])
            case EarlyTurned(seat, card):
                yield words.turned.format(seat=number(seat), card=words.card(card))
                yield from self._trick(before, after)
            case TeaBegan():
                yield words.tea
            case TeaEnded():
                yield words.tea_over
            case StoodIn(seat):
                yield words.stand_in.format(seat=number(seat))
            case CeremonyVoided(cause, seats):
                named = words.comma.join(map(number, seats))
                line = words.no_commitment if cause is VoidCause.NO_COMMITMENT else words.no_number
                yield line.format(seats=named)
            case RoundRevealed():
                yield from self._result(content)
            case GameEnded(cause, winner):
                yield words.endings[cause]
                yield words.nobody if winner is None else words.victory.format(side=words.sides[winner])
            case ServerFault():
                yield words.fault
            case _:
                pass
        if isinstance(after.stage, Round) and not isinstance(before.stage, Round):
            yield from self._dealt(after, after.stage)

    def _move(self, before: Table, after: Table, seat: Seat, act: object) -> Iterator[str]:
        words = self.words
        at = words.number(seat)
        match act:
            case NameTrump(suit):
                yield words.names.format(seat=at, suit=words.suits[suit])
            case CallMiddle():
                yield words.calls.format(seat=at)
            case Run(cards):
                yield words.runs.format(seat=at, cards=words.comma.join(map(words.card, cards)))
            case AskTea():
                yield words.asks_for_tea.format(seat=at)
            case AnswerTea(yes=False):
                yield words.refuses_tea.format(seat=at)
            case Leave() if before.places:
                yield words.leaves.format(seat=at)
            case Return():
                yield words.comes_back.format(seat=at)
            case Resign():
                yield words.resigns.format(seat=at)
            case ProtestOnly():
                yield words.protests.format(seat=at)
            case _:
                yield from self._trick(before, after)

    def _dealt(self, table: Table, round_: Round) -> Iterator[str]:
        """A round begins: what everybody held, known from its end."""
        words, number = self.words, self.words.number
        yield ""
        yield words.round.format(
            round=number(table.round),
            hakem=number(round_.hakem),
            even=number(table.score[0]),
            odd=number(table.score[1]),
        )
        hands = self._hands(table, round_)
        if hands is NO_HANDS:
            yield words.not_revealed
            return
        for seat, hand in enumerate(hands.dealt):
            assert hand is not None
            yield words.hands.format(seat=number(seat), cards=words.hand(hand))
        assert hands.five is not None
        yield words.five.format(seat=number(round_.hakem), cards=words.hand(hands.five))

    def _hands(self, table: Table, round_: Round) -> Hands:
        reveals = (
            event.content
            for event in self.reading.events
            if event.version > table.version and isinstance(event.content, RoundRevealed | ServerFault)
        )
        content = next(reveals, None)
        if content is None or not content.numbers:
            return NO_HANDS
        assert round_.ceremony.commit_set is not None
        return hands_of(round_.ceremony.commit_set, content.numbers, round_.hakem, table.rules.packets)

    def _trick(self, before: Table, after: Table) -> Iterator[str]:
        """The trick that this entry ended, if it ended one."""
        old, new = before.stage, after.stage
        if isinstance(old, Round) and isinstance(new, Round) and len(new.history) > len(old.history):
            yield self._told(len(new.history), new.history[-1], new.trump)

    def _told(self, count: int, trick: Trick, trump: int | None) -> str:
        words, number = self.words, self.words.number
        led = trick.cards[0] // 13
        told = []
        for place, card in enumerate(trick.cards):
            seat = trick.leader + place & 3
            line = words.cut if led != trump and card // 13 == trump else "{seat}: {card}"
            told.append(line.format(seat=number(seat), card=words.card(card)))
        takes = words.takes.format(seat=number(trick.winner))
        return words.trick.format(trick=number(count), cards=words.comma.join(told), takes=takes)

    def _result(self, content: RoundRevealed) -> Iterator[str]:
        words, number = self.words, self.words.number
        even, odd = content.tricks
        if content.winner is None:
            yield words.unfinished.format(even=number(even), odd=number(odd))
        else:
            won, lost = content.tricks[content.winner], content.tricks[1 - content.winner]
            side = words.sides[content.winner]
            yield words.won.format(side=side, won=number(won), lost=number(lost)) + words.points[content.points]
        yield words.score.format(even=number(content.score[0]), odd=number(content.score[1]))
        if content.next_hakem is not None:
            yield words.hakem_stays.format(hakem=number(content.next_hakem))


def _hand_persian(hand: Hand) -> str:
    """A hand by suits: پیک: آس شاه، دل: دو."""
    suits = []
    for suit in range(4):
        ranks = sorted((card % 13 for card in cards_of(hand) if card // 13 == suit), reverse=True)
        if ranks:
            suits.append(f"{suit_persian(suit)}: {' '.join(rank_persian(rank + 2) for rank in ranks)}")
    return "، ".join(suits)


WORDS: Final = {
    Language.EN: Words(
        card=card_symbol,
        hand=hand_symbols,
        number=str,
        comma=", ",
        suits=("spades ♠", "hearts ♥", "diamonds ♦", "clubs ♣"),
        sides=("the even side", "the odd side"),
        kinds={SeatKind.PERSON: "a person", SeatKind.BOT: "a bot", SeatKind.STAND_IN: "a stand-in"},
        game="Table {table}, a game to {target} points.",
        seat="Seat {seat} is {kind} and plays for {side}.",
        round="Round {round}. Seat {hakem} is hakem. The score is {even} to {odd}, even side first.",
        hakem_stays="Seat {hakem} is the next hakem.",
        draw="Cards are turned up for the first hakem: {cards}. Seat {hakem} is hakem.",
        hands="  seat {seat} was dealt {cards}",
        five="Seat {seat} saw {cards} and had to name trumps.",
        names="Seat {seat} names {suit}.",
        named_for="The house names {suit} for seat {seat}, by the rule.",
        calls="Seat {seat} calls the partner's middle.",
        middle="It is {card}: {suit} is trumps.",
        turned="The card that seat {seat} had laid early turns over: {card}.",
        runs="Seat {seat} leads a run: {cards}.",
        asks_for_tea="Seat {seat} asks for tea.",
        refuses_tea="Seat {seat} says no.",
        tea="Tea is served.",
        tea_over="Tea is over.",
        trick="Trick {trick}. {cards}; {takes}",
        cut="{seat} cuts: {card}",
        takes="seat {seat} takes it.",
        missed="Seat {seat} let its time run out, and the house decided by the rule.",
        leaves="Seat {seat} leaves.",
        comes_back="Seat {seat} is back.",
        resigns="Seat {seat} wants to give up.",
        protests="Seat {seat} protests.",
        stand_in="A stand-in plays for seat {seat}.",
        no_commitment="No commitment came from seat {seats}: the deal was made again, from new numbers.",
        no_number="No number came from seat {seats}: the deal was thrown away.",
        won="The round goes to {side}, {won} to {lost}: ",
        unfinished="The round was not played out: {even} to {odd}, even side first. No points.",
        points={1: "one point.", 2: "kot, two points.", 3: "hakem kot, three points."},
        score="The score is {even} to {odd}, even side first.",
        endings={
            GameEndCause.TARGET: "The game is over.",
            GameEndCause.FORFEIT: "The game is over: numbers were held back twice.",
            GameEndCause.RESIGNED: "The game is over: a side gave up.",
            GameEndCause.ABANDONED: "The game was abandoned.",
        },
        victory="It is won by {side}.",
        nobody="Nobody has won it.",
        fault="The house failed, and the game ended by its fault.",
        not_revealed="  The hands are not known: the numbers of this deal are not in the proof.",
        cut_short="Here the proof ends, before the end.",
    ),
    Language.FA: Words(
        card=card_persian,
        hand=_hand_persian,
        number=persian_digits,
        comma="، ",
        suits=(suit_persian(0), suit_persian(1), suit_persian(2), suit_persian(3)),
        sides=("تیم زوج", "تیم فرد"),
        kinds={SeatKind.PERSON: "بازیکن", SeatKind.BOT: "ربات", SeatKind.STAND_IN: "جانشین"},
        game="میز {table}، بازی تا {target} امتیاز.",
        seat="صندلی {seat}: {kind}، از {side}.",
        round="دور {round}. حاکم صندلی {hakem} است. امتیاز: زوج {even}، فرد {odd}.",
        hakem_stays="حاکم دور بعد صندلی {hakem} است.",
        draw="برای حاکم اول برگ رو شد: {cards}. حاکم صندلی {hakem} است.",
        hands="  برگ‌های صندلی {seat}: {cards}",
        five="پنج برگ اول حاکم، صندلی {seat}: {cards}",
        names="صندلی {seat} {suit} را حکم کرد.",
        named_for="خانه به جای صندلی {seat} طبق قاعده {suit} را حکم کرد.",
        calls="صندلی {seat} وسطِ یار را حکم خواست.",
        middle="وسطِ یار {card} است: حکم {suit}.",
        turned="برگی که صندلی {seat} زودتر خوابانده بود رو شد: {card}.",
        runs="صندلی {seat} پشت سر هم می‌آید: {cards}.",
        asks_for_tea="صندلی {seat} چای خواست.",
        refuses_tea="صندلی {seat} گفت نه.",
        tea="چای آمد.",
        tea_over="چای تمام شد.",
        trick="دست {trick}. {cards}؛ {takes}",
        cut="{seat} برید: {card}",
        takes="صندلی {seat} برد.",
        missed="وقت صندلی {seat} تمام شد و خانه طبق قاعده بازی کرد.",
        leaves="صندلی {seat} رفت.",
        comes_back="صندلی {seat} برگشت.",
        resigns="صندلی {seat} می‌خواهد تسلیم شود.",
        protests="صندلی {seat} اعتراض دارد.",
        stand_in="جانشین به جای صندلی {seat} نشست.",
        no_commitment="از صندلی {seats} مُهری نرسید: پخش با عددهای تازه از نو شد.",
        no_number="از صندلی {seats} عددی نرسید: این پخش دور ریخته شد.",
        won="این دور را {side} {won} بر {lost} برد: ",
        unfinished="این دور تا آخر بازی نشد: زوج {even}، فرد {odd}. امتیازی ندارد.",
        points={1: "یک امتیاز.", 2: "کت، دو امتیاز.", 3: "حاکم‌کت، سه امتیاز."},
        score="امتیاز: زوج {even}، فرد {odd}.",
        endings={
            GameEndCause.TARGET: "بازی تمام شد.",
            GameEndCause.FORFEIT: "بازی تمام شد: یک طرف دو بار عددش را رو نکرد.",
            GameEndCause.RESIGNED: "بازی تمام شد: یک طرف تسلیم شد.",
            GameEndCause.ABANDONED: "بازی نیمه‌کاره رها شد.",
        },
        victory="برنده {side} است.",
        nobody="بازی برنده ندارد.",
        fault="خطا از خانه بود و بازی با آن تمام شد.",
        not_revealed="  برگ‌ها معلوم نیست: عددهای این پخش در گواه نیست.",
        cut_short="گواه همین‌جا تمام می‌شود، پیش از پایان.",
    ),
}
