# SPDX-License-Identifier: Apache-2.0
"""The mind of one seat: what it must do, what it will sign, and what it will not believe.

It follows a checked `Stream` step by step and adds what only this seat can check: its number (`own_number`), its cards
(`held`), what became of its moves and the clock (`protests`). It makes the moves that follow by themselves (Commit,
Reveal), asks for those that do not (`asks`), and signs one at a time: the next only when the last was answered with its
entry or a refusal.

What must survive a crash is put into `Keeping` before a move is handed out; whoever sends it flushes first.

It has no clock, no network and no dice: time and randomness come in as arguments.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Final

from hokm.cards import Hand
from hokm.entry import sign_move
from hokm.errors import Busy, Conflict, HokmError
from hokm.events import (
    Act,
    AnswerTea,
    AskTea,
    CallMiddle,
    CommitSetClosed,
    Dealt,
    Join,
    LayEarly,
    Move,
    NameTrump,
    PickUp,
    Play,
    ProtestOnly,
    Ready,
    Reveal,
    Run,
    SeatKind,
    SignedMove,
    StandInCause,
    StoodIn,
    TakeBack,
)
from hokm.rules import Seat as SeatNumber
from hokm.signing import SigningKey
from hokm.table import NO_HANDS, Ceremony, Decision, Place, Round, Seating, Signing, decide, place_at
from hokm.table.state import MOST_PROTESTS, MOST_RETURNS, NO_GAME
from hokm.table.vouch import signing_of_key
from hokm.v1 import tables_service_pb2 as pb
from hokm.wire import read_move, write_move
from hokm_client.early_card import EarlyCard
from hokm_client.errors import OtherActSigned, SigningStopped, refusal
from hokm_client.fraud import Fraud, FraudKind
from hokm_client.held import HeldCards
from hokm_client.keeping import Keeping, KeptMove
from hokm_client.own_number import OwnNumber
from hokm_client.protests import Protests, Unanswered
from hokm_client.question import ComeEarly, Question, Standing, Wish
from hokm_client.refused import RefusedMoves
from hokm_client.stream import Step, Stream, move_in

BESIDES: Final = (LayEarly, TakeBack, PickUp, AskTea, AnswerTea, Ready)
"""Acts that answer no turn: whoever makes one of them has lost nothing where it is refused."""

ANSWERS: Final = (NameTrump, CallMiddle, Play, Run)
"""Acts that answer the decision of a turn."""


class Seat:
    """One key in one seat of one table."""

    __slots__ = (
        *("_answer", "_entropy", "_keeping", "_next_number", "_own", "_protests", "_refused", "_shut_at", "_stream"),
        *("cards", "early", "fraud", "join_code", "key", "number", "unanswered", "unsure"),
    )

    def __init__(
        self,
        stream: Stream,
        number: SeatNumber,
        key: SigningKey,
        keeping: Keeping,
        entropy: Callable[[int], bytes],
    ) -> None:
        """A seat at the beginning of a stream, or in the middle of one that was checked: see `catch_up`."""
        self._stream = stream
        self._keeping = keeping
        self._entropy = entropy
        self._own = OwnNumber(stream, number, key.public, keeping, entropy)
        self._protests = Protests(number)
        self._shut_at = -1
        self._answer: tuple[int, Act] | None = None
        """What was signed for the decision that this entry opened: nothing else ever is."""
        self._refused = RefusedMoves()
        self._next_number = 0
        """The number after the last move that was logged, also where the log is not believed any more."""
        self.number = number
        self.key = key
        self.cards = HeldCards(stream, number, keeping)
        self.early = EarlyCard(stream, number, keeping, entropy)
        self.unanswered: Unanswered | None = None
        self.unsure = False
        """The unanswered move may not have arrived: the way to the server broke since it was signed."""
        self.fraud: Fraud | None = None
        self.join_code = ""
        """Goes beside the Join at a private table."""

    # What is so.

    @property
    def notice(self) -> HokmError | None:
        """Something the player should know, that is no fraud: a number that is not kept here."""
        return self._own.notice

    @property
    def place(self) -> Place | None:
        """The place at the table, where somebody sits in it."""
        table = self._stream.table
        return None if table is None else place_at(table, self.number)

    @property
    def is_players(self) -> bool:
        """The place is this key's, whoever plays it now."""
        place = self.place
        return place is not None and place.public_key == self.key.public

    @property
    def holds(self) -> bool:
        """This key decides for the seat now."""
        table, place = self._stream.table, self.place
        if table is None or place is None:
            return False
        if isinstance(table.stage, Ceremony):
            return table.stage.holders[self.number].public_key == self.key.public
        return place.holder.public_key == self.key.public

    # What comes.

    def catch_up(self) -> None:
        """Take up what was kept for this seat, once the stream stands where the server's does.

        The last move that was signed is unanswered unless the log holds it; the head that it vouches for must be in
        the stream. Raises `Fraud`.
        """
        self.cards.catch_up()
        kept = self._keeping.last_move(self._stream.id, self.key.public)
        if kept is None or self.unanswered is not None:
            return
        act = pb.SignedAct.FromString(kept.act)
        move = read_move(act.move)
        self._check_kept_head(kept)
        if isinstance(move.act, Join) and self.join_code:
            act.join_code = self.join_code  # the one before may have been a wrong one
        if move.number >= self._signing(move.act).moves:
            self.unanswered, self.unsure = Unanswered(act, move, self._stream.there.time_ms), True
            self._answer_with(move.act)
            self._stream.signed_here(act.move, act.signature)

    def see(self, step: Step, now_ms: int) -> None:
        """Check one more entry for this seat. Raises `Fraud`."""
        self._protests.see(step, now_ms, self.unanswered, unsure=self.unsure)
        content = step.event.content
        match content:
            case SignedMove():
                self._see_move(step, content)
            case StoodIn():
                self._see_move(step, content.join)
            case CommitSetClosed():
                self._own.check_set(step, content.commit_set)
            case Dealt():
                self.cards.begin()
        if step.deal is not None:
            self.cards.check(step.deal, step.entry)

    def refused(self, move_hash: bytes, error: HokmError) -> bool:
        """The move with that SHA-256 was refused: whether it is the unanswered one of this seat.

        It is forgotten, and signed anew if it is still wanted. A move that had seen all there is, and one that the
        rules refuse, is not wanted again before something has happened; one that answers no turn keeps the seat from
        nothing. Where the house is busy the same bytes stay. What is signed anew for a decision is the same act: the
        rules allowed it here, and of two the house could choose.
        """
        unanswered = self.unanswered
        if unanswered is None or hashlib.sha256(unanswered.act.move).digest() != move_hash:
            return False
        if isinstance(error, Busy):
            return True
        is_besides = isinstance(unanswered.move.act, BESIDES)
        if not is_besides and (
            not isinstance(error, Conflict) or unanswered.move.seen_version == self._stream.there.version
        ):
            self._shut_at = self._stream.there.version
        self.unanswered = None
        if not self.unsure:
            self._refused.add(unanswered.act)
        self._protests.refused(unanswered.move.protest)
        self._stream.not_sent(unanswered.act.move)
        return True

    # What is to be done.

    def automatic(self) -> Act | None:
        """The step of a ceremony that is open for this seat, or what it has signed before for an open decision."""
        table = self._stream.table
        if table is None or not self._free or table.version == self._shut_at:
            return None
        if self._answered is not None:
            return self._answered
        stage = table.stage
        if not isinstance(stage, Ceremony) or stage.decisions[self.number] is None or not self.holds:
            return None
        return self._own.next_step(stage)

    def asks(self) -> Question | None:
        """What the player is to decide: trumps or a card. None where nothing is, or the cards have not come."""
        table = self._stream.table
        if table is None or not self._free or table.version == self._shut_at:
            return None
        decision = self.decision
        if decision is None or self._answered is not None:
            return None
        assert isinstance(table.stage, Round)
        if table.stage.trump is None:
            five = self.cards.five
            return None if five is None else Question(table, self.number, five, decision)
        return Question(table, self.number, self.cards.dealt, decision) if self.cards.are_whole else None

    @property
    def decision(self) -> Decision | None:
        """Trumps or a card, where this key is to decide it."""
        table = self._stream.table
        if table is None or table.is_pausing or not self.holds:
            return None
        return table.stage.decision if isinstance(table.stage, Round) and table.stage.turn == self.number else None

    def standing(self) -> Standing | None:
        """What the seat sees while a game is on and this key plays it, whoever is in turn."""
        table = self._stream.table
        if table is None or not self._free or not self.holds or table.game_id == NO_GAME:
            return None
        return Standing(table, self.number, self.cards.dealt if self.cards.are_whole else 0)

    @property
    def lacks_cards(self) -> bool:
        """Cards of this seat have been released, and their notes have not come."""
        return self.holds and self.cards.are_missing

    def returns(self) -> bool:
        """Whether the player is absent without having left, and could come back."""
        place = self.place
        return (
            self._free
            and self.is_players
            and place is not None
            and place.absent not in (None, StandInCause.LEFT)
            and not place.back
            and place.returns < MOST_RETURNS
        )

    def join(self, kind: SeatKind) -> Join:
        """The act that takes the seat with this key."""
        return Join(kind, self.key.public, self._entropy(32))

    def sign(self, wish: Wish, now_ms: int) -> pb.SignedAct:
        """The move, signed and put into keeping: flush that, then send it until it is answered.

        Of a `ComeEarly` it makes a LayEarly, each time with a fresh salt. Raises `Malformed`, what the rules refuse it
        for, `SigningStopped` after a fraud, `OtherSetSigned`, `NumberNotKept`. Nothing may be unanswered.
        """
        assert self.unanswered is None
        table = self._stream.there
        if self.fraud is not None and type(wish) is not ProtestOnly:
            raise SigningStopped(self.fraud.kind)
        act, laid = self.early.lay(wish.card) if isinstance(wish, ComeEarly) else (wish, None)
        if self._answered is not None and isinstance(act, ANSWERS) and act != self._answered:
            raise OtherActSigned(self.number)
        is_join = isinstance(act, Join)
        move = Move(
            NO_GAME if is_join else table.game_id,
            table.round,
            table.attempt,
            self.number,
            max(self._signing(act).moves, self._next_number),
            table.version,
            self._stream.leaves[-1],
            self._protests.waiting,
            act,
        )
        body = write_move(move)
        if not is_join or isinstance(table.stage, Seating):
            dealt: list[Hand | None] = [None] * 4
            dealt[self.number] = self.cards.dealt if self.cards.are_whole else None
            known = NO_HANDS._replace(dealt=(dealt[0], dealt[1], dealt[2], dealt[3]))
            decide(table, move, table.time_ms, known, laid)
        number = b""
        if isinstance(act, Reveal):
            assert isinstance(table.stage, Ceremony), "decide has seen to it"
            number = self._own.reveal(table.stage, act)
        signature = sign_move(body, self.key)
        signed = pb.SignedAct(table_id=self._stream.id, move=body, signature=signature, number=number)
        if is_join and self.join_code:
            signed.join_code = self.join_code
        if laid is not None:
            assert isinstance(act, LayEarly)
            self.early.keep(act, laid)
            signed.early.card, signed.early.salt = laid.card, laid.salt
        kept = KeptMove(signed.SerializeToString(), move.seen_version, move.seen_hash)
        self._keeping.put_move(self._stream.id, self.key.public, kept)
        self._stream.signed_here(body, signature)
        self._refused.signed_anew(body)
        self._protests.signed()
        self._answer_with(act)
        self.unanswered, self.unsure = Unanswered(signed, move, now_ms), False
        return signed

    # After a fraud.

    def protest(self) -> ProtestOnly | None:
        """The protest that a fraud calls for, where the rules still let it be said and nothing is unanswered."""
        if self.fraud is None or not self._may_protest or self.unanswered is not None:
            return None
        self._protests.complain(self._stream.there, self.fraud.kind.protest)
        return None if self._protests.waiting is None else ProtestOnly()

    @property
    def owes_protest(self) -> bool:
        """The protest waits until the last move is answered: one unanswered move of a key at a time.

        Under the same number it would be a second move, of which the house takes one; and a house that would log it
        answers what came before.
        """
        unanswered = self.unanswered
        if self.fraud is None or unanswered is None or isinstance(unanswered.move.act, ProtestOnly):
            return False
        return self._may_protest

    def hear(self, update: pb.TableUpdate) -> None:
        """Look for nothing but the answer to the unanswered move, in what is not believed any more."""
        for octets in update.entries:
            if self.unanswered is not None and self.unanswered.act.move == move_in(octets):
                self._next_number = self.unanswered.move.number + 1
                self.unanswered = None
        for refused in update.refusals:
            self.refused(refused.move_hash, refusal(refused.reason, refused.facts, refused.sentence))

    @property
    def _may_protest(self) -> bool:
        table, place = self._stream.table, self.place
        if table is None or place is None or not self.is_players or table.game_id == NO_GAME:
            return False
        return place.protests < MOST_PROTESTS and not self._stream.is_over

    # Own moves.

    @property
    def _free(self) -> bool:
        return self.unanswered is None and self.fraud is None and not self._stream.is_over

    def _signing(self, act: Act) -> Signing:
        """How far this key has signed."""
        stage, place = self._stream.there.stage, self.place
        if isinstance(stage, Seating):
            return signing_of_key(stage, self.key.public)
        if place is not None and place.public_key == self.key.public:
            return place.signing
        if place is not None and place.stand_in is not None and place.stand_in.public_key == self.key.public:
            return place.stand_in.signing
        return Signing()

    @property
    def _answered(self) -> Act | None:
        """What was signed for the decision that is open."""
        decision, answer = self.decision, self._answer
        return answer[1] if decision is not None and answer is not None and answer[0] == decision.opened else None

    def _answer_with(self, act: Act) -> None:
        decision = self.decision
        if decision is not None and isinstance(act, ANSWERS):
            self._answer = (decision.opened, act)

    def _see_move(self, step: Step, signed: SignedMove) -> None:
        """A move that may be the unanswered one, or of the same key in another program that was faster.

        Raises `Fraud` where it is one that was refused.
        """
        if signed.move.seat != self.number:
            return
        self._refused.see(step, signed)
        unanswered = self.unanswered
        if unanswered is None:
            return
        if signed.body == unanswered.act.move:
            self.unanswered = None
        elif unanswered.move.number < self._signing(unanswered.move.act).moves:
            self._stream.not_sent(unanswered.act.move)
            self.unanswered = None

    def _check_kept_head(self, kept: KeptMove) -> None:
        """The stream still holds the head that the last move of this device vouches for."""
        leaves = self._stream.leaves
        if kept.seen_version < len(leaves) and leaves[kept.seen_version] == kept.seen_hash:
            return
        what = f"entry {kept.seen_version} is missing, or is not the one that was checked here before"
        exhibits = {"signed_act": kept.act}
        if kept.seen_version < len(leaves):
            exhibits["entry"] = self._stream.entries[kept.seen_version]
        raise Fraud(FraudKind.TWO_ENTRIES, self._stream.there.version, what, exhibits=exhibits)
