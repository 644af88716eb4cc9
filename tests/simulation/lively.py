# SPDX-License-Identifier: Apache-2.0
"""A game in which the house rules H1 to H4 are played by chance, as the table lets them be."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Final

from hokm.cards import cards_of
from hokm.errors import HokmError
from hokm.events import (
    AnswerTea,
    AskTea,
    CallMiddle,
    EarlyTurned,
    PickUp,
    Ready,
    Ruling,
    Run,
    SignedMove,
    TakeBack,
    TeaBegan,
)
from hokm.rules import TableRules, partner_of, runs_of
from hokm.table import Round, expires_ms, may_play
from tests.simulation.game import Game

LIVELY: Final = TableRules(target=3, partners_middle=True, coming_early=True, runs=True, tea=True)


@dataclass
class LivelyGame(Game):
    """A game whose players do more than play cards."""

    rules: TableRules = LIVELY
    used: Counter[str] = field(default_factory=Counter)
    """How often each rule was used."""

    def step(self) -> None:
        """Now and then somebody does something besides; else who is to act does so."""
        self.settle()
        if self.table.is_pausing:
            self._at_tea()
        elif not any(self._besides() for _ in range(self.rng.randrange(3))):
            super().step()

    def _at_tea(self) -> None:
        self.house.wait(self.rng.randrange(500, 4000))
        tea = self.table.tea
        assert tea is not None
        seat = self.rng.randrange(4)
        if seat in tea.ready:
            expiry = expires_ms(self.table)
            assert expiry is not None
            self.house.now_ms = max(self.house.now_ms, expiry)
        elif self.table.places[seat].stand_in is None:
            self.do(seat, Ready())
        self.settle()

    def name_trump(self, suit: int | None = None) -> None:
        """By a name, or by the partner's middle."""
        if suit is None and self.rules.partners_middle and self.rng.random() < 0.5:
            self.do(self.round.hakem, CallMiddle())
            self.used["middle"] += 1
        else:
            super().name_trump(suit)

    def _besides(self) -> bool:
        """Try one of the things that may be done out of turn, or a run; False where the table does not let it."""
        self.house.wait(self.rng.randrange(100, 900))
        attempts = [self._tea, self._pick_up, self._lay, self._take_back, self._run, self._run]
        try:
            return self.rng.choice(attempts)()
        except HokmError:
            return False

    def _tea(self) -> bool:
        seat = self.rng.randrange(4)
        if self.table.tea is None:
            self.do(seat, AskTea())
            self.used["tea asked"] += 1
        else:
            yes = self.rng.random() < 0.8
            self.do(seat, AnswerTea(yes))
            self.used["tea answered"] += 1
        return True

    def _pick_up(self) -> bool:
        if not isinstance(self.table.stage, Round):
            return False
        self.do(partner_of(self.round.hakem), PickUp())
        self.used["picked up"] += 1
        return True

    def _lay(self) -> bool:
        stage = self.table.stage
        if not isinstance(stage, Round) or not stage.trick:
            return False
        seat = self.rng.randrange(4)
        hand = self.hands.dealt[seat]
        assert hand is not None
        legal = list(cards_of(may_play(stage, hand)))
        if not legal:
            return False
        self.lay(seat, self.rng.choice(legal))
        self.used["laid"] += 1
        return True

    def _take_back(self) -> bool:
        self.do(self.rng.randrange(4), TakeBack())
        self.used["taken back"] += 1
        return True

    def _run(self) -> bool:
        stage = self.table.stage
        if not isinstance(stage, Round) or stage.trump is None or stage.trick:
            return False
        hand = self.hands.dealt[stage.turn]
        assert hand is not None
        runs = runs_of(hand & ~stage.played, stage.trump, stage.played)
        if not runs:
            return False
        self.do(stage.turn, Run(runs[0]))
        self.used["run"] += 1
        return True

    def _misbehave(self, to_an_end: bool) -> None:
        """All that can go wrong, but that nothing runs out while tea is drunk."""
        if self.table.is_pausing and not to_an_end:
            self._at_tea()
        else:
            super()._misbehave(to_an_end)

    def log(self, content: SignedMove | Ruling) -> None:
        """Count what turns over and how often tea is drunk."""
        if isinstance(content, EarlyTurned):
            self.used["turned over"] += 1
        elif isinstance(content, TeaBegan):
            self.used["tea drunk"] += 1
        super().log(content)
