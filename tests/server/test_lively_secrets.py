# SPDX-License-Identifier: Apache-2.0
"""With every house rule on, nobody is sent more than it may see.

Two games that differ only in cards hidden from a viewer send it the same bytes, on its stream from any version on, in
lists and from the log, until a card that differs must be shown.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hokm.cards import PACK, SUIT_MASKS, cards_of, hand_of
from hokm.deal import packets_of
from hokm.events import AnswerTea, AskTea, CallMiddle, NameTrump, PickUp, Play, Ready, Run, TakeBack
from hokm.rules import Packets, TableRules, is_run, partner_of, right_of, runs_of, timeout_card
from tests import scenes, vector_files
from tests.server.lively import LIVELY
from tests.server.room import PERSONS, TWO_AND_BOTS, dealt, playing
from tests.server.twins import VIEWPOINTS, Packs, Twins, Viewpoint, twins

THROWING = replace(LIVELY, throwing=True)
RULES = (
    THROWING,
    replace(LIVELY, silent=True),
    replace(THROWING, open_first_packet=True),
    replace(THROWING, packets=Packets.FIVE_FIVE_THREE),
)
MIDDLE = 12
"""Where in the pack the partner's middle is."""
MOST_GAMES = 24
"""As a rule far fewer are needed until everything has been done."""
DONE_BY_ALL = (
    *("MiddleTurned", "PickUp", "NameTrump", "Run", "interrupted", "EarlyTurned", "laid another", "TakeBack"),
    *("TeaBegan", "TeaEnded", "TimedOut", "thrown", "RULE_OFF", "CARD_NOT_HELD", "restart", "came late", "log"),
)


@pytest.mark.parametrize("viewer", VIEWPOINTS)
async def test_lively_games_that_differ_in_hidden_cards_look_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, viewer: str
) -> None:
    """Byte for byte, through all that the house rules let be done and refuse, and through restarts."""
    done: Counter[str] = Counter()
    view = VIEWPOINTS[viewer]
    wanted = (*DONE_BY_ALL, "NOT_A_RUN") if view.seats else DONE_BY_ALL
    for seed in range(MOST_GAMES):
        rules, kinds = RULES[seed % len(RULES)], TWO_AND_BOTS if view.is_operator else PERSONS
        async with twins(tmp_path / str(seed), monkeypatch, seed, rules, kinds) as games:
            trump = seed // 2 % 4
            games.look(view)
            await games.deal(two_packs(games.chance, rules, games.hakem, trump, view.hidden), monkeypatch)
            await Evening(games, view.seats, trump).play()
            done += games.done + Counter(games.rooms[0].kinds(games.table_id))
        if seed + 1 >= len(RULES) and all(done[what] for what in wanted):
            return
    assert [what for what in wanted if not done[what]] == []


def two_packs(chance: random.Random, rules: TableRules, hakem: int, trump: int, seats: Sequence[int]) -> Packs:
    """Two packs that differ in the hands of these seats alone, the middle left out.

    The hakem can lead a run; where it is none of trumps, the next seat has none of its suit and may cut.
    """
    one = list(PACK)
    chance.shuffle(one)
    packets = packets_of(list(PACK), hakem, rules.packets)
    places = [[place for packet in packets for place in packet[seat]] for seat in range(4)]
    suit = chance.choice([suit for suit in range(4) if suit != trump] * 2 + [trump])
    for place, rank in zip(chance.sample(places[hakem], 3), (12, 11, 10), strict=True):
        _swap(one, place, one.index(13 * suit + rank))
    others = [place for place in places[partner_of(hakem)] if place != MIDDLE and one[place] // 13 != suit]
    for place in places[right_of(hakem)]:
        if one[place] // 13 == suit and suit != trump:
            _swap(one, place, others.pop())
    hidden = [[place for place in places[seat] if place != MIDDLE] for seat in seats]
    moved = [chance.choice(hand) for hand in chance.sample(hidden, 2)]  # a small difference stays hidden for long
    if chance.random() < 0.3:
        moved = [place for hand in hidden for place in hand]
    other, cards = list(one), [one[place] for place in moved]
    while other == one:
        chance.shuffle(cards)
        for place, card in zip(moved, cards, strict=True):
            other[place] = card
    return one, other


def _swap(pack: list[int], one: int, other: int) -> None:
    pack[one], pack[other] = pack[other], pack[one]


class Evening:
    """Whatever comes to the minds of four players, as long as it looks the same in both games."""

    def __init__(self, games: Twins, looking: Sequence[int], trump: int) -> None:
        """`looking`: the seats of the viewer."""
        self.games = games
        self.looking = looking
        self.chance = games.chance
        self.trump = trump
        self.calls_middle = trump % 2 == 0
        self.is_late = False
        self.besides = (
            *(self.tea, self.lay, self.lay, self.lay_another, self.lay_another, self.lay_another),
            *(self.throw, self.refused, self.refused, self.refused),
            *(games.restart, games.same_to_who_comes_late, games.same_log),
        )

    async def play(self) -> None:
        """Until the round is over, or a card must be shown that differs."""
        games = self.games
        while True:
            run = hand_of(games.extra.run)
            if not await self.step():
                return
            await games.same()
            if run and not run & ~games.extra.seen:
                games.done["interrupted"] += 1

    async def step(self) -> bool:
        """One thing; False where it was the last."""
        games = self.games
        if games.table.is_pausing:
            await self.drink()
        elif dealt(games.table):
            await games.both(games.stage.hakem, CallMiddle() if self.calls_middle else NameTrump(self.trump))
            await self.throw()
        elif games.extra.middle is not None and self.chance.random() < 0.3:
            await games.both(partner_of(games.stage.hakem), PickUp())
        elif self.chance.random() < 0.6:
            await self.chance.choice(self.besides)()
        elif not (await self.lead_a_run() or await self.time_out() or await self.play_a_card()):
            return False
        return playing(games.table) and games.stage.decision is not None

    async def play_a_card(self) -> bool:
        """One that the seat in turn may play in both games: a trump where it can cut a run."""
        stage = self.games.stage
        one, other = self.games.legal(stage.turn)
        common = [card for card in one if card in other]
        trumps = [card for card in common if card // 13 == stage.trump]
        if common:
            choice = trumps if trumps and self.games.extra.run else common
            await self.games.both(stage.turn, Play(self.chance.choice(choice)))
        return bool(common)

    async def lead_a_run(self) -> bool:
        """If the seat on lead has one in both games; who looks tries what is none."""
        games, stage = self.games, self.games.stage
        if stage.trick or stage.trump is None:
            return False
        hands = games.hands(stage.turn)
        if stage.turn in self.looking:
            trumps = tuple(cards_of(hands[0] & SUIT_MASKS[stage.trump]))[:-4:-1]
            if len(trumps) > 1 and not is_run(trumps, stage.trump, stage.played):
                await games.both(stage.turn, Run(trumps))
        one, other = [runs_of(hand, stage.trump, stage.played) for hand in hands]
        common = [run for run in one if run in other]
        if common:
            await games.both(stage.turn, Run(self.chance.choice(common)))
        return bool(common)

    async def time_out(self) -> bool:
        """Once a game somebody is too late, where the house plays the same card in both."""
        games, stage = self.games, self.games.stage
        if self.is_late or stage.trump is None or games.table.tea is not None or self.chance.random() < 0.8:
            return False
        one, other = [timeout_card(hand, stage.led, stage.trump) for hand in games.hands(stage.turn)]
        if one == other:
            self.is_late = True
            await games.wait(1000 * games.table.rules.turn_seconds)
        return one == other

    # Besides.

    async def tea(self) -> None:
        """Somebody asks, and most often all say yes."""
        seat = self.chance.randrange(4)
        if self.games.table.tea is not None:
            await self.games.both(seat, AnswerTea(self.chance.random() < 0.9))
        elif await self.games.both(seat, AskTea()) is None:
            for other in (1, 2, 3):
                await self.games.both(seat ^ other, AnswerTea(True))

    async def drink(self) -> None:
        """Somebody is ready; who is asked twice drinks to the end."""
        games, seat = self.games, self.chance.randrange(4)
        tea = games.table.tea
        if tea is not None and seat in tea.ready:
            await games.wait(60_000)
        else:
            await games.both(seat, Ready())

    async def throw(self) -> None:
        """At anybody, whether the rules let it or not."""
        await self.games.throw(*self.chance.sample(range(4), 2))

    def early_seat(self) -> int:
        """Most often one whose turn has not come."""
        stage = self.games.stage
        if self.chance.random() < 0.1 or len(stage.trick) > 2:
            return self.chance.randrange(4)
        return stage.leader + self.chance.randrange(len(stage.trick) + 1, 4) & 3

    async def lay(self) -> None:
        """The same card in both games: it turns over."""
        seat = self.early_seat()
        one, other = self.games.legal(seat)
        common = [card for card in one if card in other]
        if common and self.games.stage.trick:
            await self.games.lay(seat, (common[0], common[0]))

    async def lay_another(self) -> None:
        """Another card in each game where it is hidden, taken back before it turns over."""
        games, seat = self.games, self.early_seat()
        one, other = games.legal(seat)
        if not games.stage.trick or not one or not other:
            return
        cards = one[0], other[-1]
        if games.extra.middle in cards or seat in self.looking:
            cards = one[0], one[0]
        if cards[1] not in other or await games.lay(seat, cards) is not None:
            return
        await games.same()
        if self.chance.random() < 0.2:
            await games.restart()
        await games.both(seat, TakeBack())

    async def refused(self) -> None:
        """What the viewer may not do is refused it with the same words; what others may not do it never hears of."""
        games = self.games
        seats = {games.stage.turn}.intersection(self.looking) or self.looking or [games.stage.turn]
        seat = self.chance.choice(sorted(seats))
        card = self.chance.choice(games.held_by_others(seat))
        if self.chance.random() < 0.5:
            await games.both(seat, Play(card))
        else:
            await games.lay(seat, (card, card))


# Twin hands.

TWINS = [line for line in vector_files.house_rules("round") if "twin_hands" in line["given"]]


@pytest.mark.parametrize("line", TWINS, ids=lambda line: str(line["name"]))
async def test_twin_hands_are_told_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: dict[str, Any]
) -> None:
    """A server refuses whoever acts with the same words, and shows all the same bytes whose own cards are the same."""
    given, rules = line["given"], scenes.table_rules(line["given"]["rules"])
    async with twins(tmp_path, monkeypatch, 1, rules) as games:
        by = games.hakem - given["hakem"]
        hands = [scenes.turned(given[key], by) for key in ("hands", "twin_hands")]
        same = [seat for seat in range(4) if hands[0][seat] == hands[1][seat]]
        assert int(line["act"][0]) + by & 3 in same
        for view in (Viewpoint(()), *(Viewpoint((seat,)) for seat in same)):
            games.look(view)
        packs = [scenes.pack_of(games.hakem, texts, rules.packets) for texts in hands]
        await games.deal(packs, monkeypatch)
        refused = None
        for words in (*given["acts"], line["act"]):
            refused = await say(games, words, by)
            await games.same()
        assert refused == line["expect"].get("refused")
        await games.same_to_who_comes_late()
        await games.same_log()


async def say(games: Twins, words: str, by: int) -> str | None:
    """Do what the words say in both games, by seats so many places further: the reason of the last refusal, or None."""
    refusal = None
    for seat, act in scenes.said(words):
        if isinstance(act, scenes.Laid):
            refusal = await games.lay(seat + by & 3, (act.card, act.card))
        else:
            refusal = await games.both(seat + by & 3, act)
    return None if refusal is None else refusal.reason
