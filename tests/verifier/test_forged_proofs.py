# SPDX-License-Identifier: Apache-2.0
"""Forged proofs: for every code one story in which only that one thing is wrong.

The forger has all keys, the house's and the players', and chains and signs everything anew, so nothing but the step
that is meant can refuse it. Each case says the step, the code and the entry.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from hokm.cards import SUIT_MASKS
from hokm.deal import commit_set, commitment
from hokm.entry import leaf, parse_entry
from hokm.events import (
    Anchor,
    CeremonyOpened,
    CeremonyVoided,
    Commit,
    CommitSetClosed,
    Dealt,
    GameEndCause,
    GameEnded,
    GameStarted,
    HakemDrawn,
    Holder,
    Join,
    Leave,
    Move,
    NameTrump,
    Play,
    ProtestOnly,
    Reopened,
    Resign,
    Return,
    Reveal,
    RoundRevealed,
    SeatKind,
    ServerFault,
    ServerFaultCause,
    StandInCause,
    StoodIn,
    TableOpened,
    TakeBack,
    TeaBegan,
    TimedOut,
    UnturnedLay,
    VoidCause,
)
from hokm.proof import Inclusion, Proof, ProofKind
from hokm.table import Round, hands_of
from hokm.verify import Code, Signatures, Step, Wishes
from hokm.wire import write_rules
from tests.simulation.forge import Draft, Forgery
from tests.simulation.house import TestHouse
from tests.simulation.stories import story
from tests.verifier import forged_house_rules
from tests.verifier.forging import (
    CASES,
    Case,
    Forged,
    beside,
    changed,
    flipped,
    forged,
    refused,
    tables,
    within,
)
from tests.verifier.test_spec import is_warning

assert forged_house_rules.__name__, "its cases are among those below"

# 2 Checkpoint and witnesses.


@forged(2, "UNKNOWN_LOG")
def a_log_that_the_policy_does_not_name() -> Forged:
    stranger = TestHouse(seed=99, origin="elsewhere.example/log")
    return replace(beside("plain", lambda proof: proof), policy=stranger.policy)


@forged(2, "NOT_SIGNED")
def a_checkpoint_signed_by_another_log_of_that_name() -> Forged:
    return replace(beside("plain", lambda proof: proof), policy=TestHouse(seed=99).policy)


@forged(2, "BAD_SIGNATURE")
def a_checkpoint_that_was_changed() -> Forged:
    def change(proof: Proof) -> Proof:
        origin, size, *rest = proof.checkpoint.split("\n")
        return replace(proof, checkpoint="\n".join([origin, str(int(size) + 1), *rest]))

    return beside("plain", change)


@forged(2, "BAD_SIGNATURE")
def an_anchor_that_was_changed() -> Forged:
    def change(proof: Proof) -> Proof:
        origin, size, *rest = proof.anchors[1].checkpoint.split("\n")
        anchor = replace(proof.anchors[1], checkpoint="\n".join([origin, str(int(size) - 1), *rest]))
        return replace(proof, anchors=(proof.anchors[0], anchor, *proof.anchors[2:]))

    return beside("plain", change, story("plain").versions(CeremonyOpened)[1])


@forged(2, Code.OTHER_ORIGIN)
def a_proof_that_names_another_log_than_its_checkpoint() -> Forged:
    return beside("plain", lambda proof: replace(proof, origin="elsewhere.example/log"))


@forged(2, Code.QUORUM_NOT_MET)
def a_checkpoint_that_too_few_witnesses_saw() -> Forged:
    game = story("plain")
    lonely = game.house.publish(len(game.house.leaves), cosigners=1)
    return beside("plain", lambda proof: replace(proof, checkpoint=lonely))


# 3 Inclusion and consistency.


@forged(3, Code.NOT_INCLUDED)
def an_entry_at_another_place() -> Forged:
    def change(proof: Proof) -> Proof:
        start, last = proof.inclusion
        return replace(proof, inclusion=(start, replace(last, index=last.index - 1)))

    return beside("plain", change, len(story("plain").entries) - 1)


@forged(3, Code.NOT_INCLUDED)
def an_entry_that_the_log_does_not_have() -> Forged:
    game = story("plain")
    last = flipped(game.entries[-1])
    return beside("plain", lambda proof: replace(proof, entries=(*proof.entries[:-1], last)), len(game.entries) - 1)


@forged(3, Code.MANIFEST_NOT_INCLUDED)
def a_manifest_that_the_log_does_not_have() -> Forged:
    def change(proof: Proof) -> Proof:
        (manifest,) = proof.manifests
        return replace(proof, manifests=(replace(manifest, inclusion=manifest.inclusion[:-1]),))

    return beside("plain", change)


@forged(3, Code.INCLUSION_MISSING)
def no_proof_of_the_start() -> Forged:
    return beside("plain", lambda proof: replace(proof, inclusion=proof.inclusion[1:]), 5)


@forged(3, Code.INCLUSION_MISSING)
def no_proof_of_the_end() -> Forged:
    last = len(story("plain").entries) - 1
    return beside("plain", lambda proof: replace(proof, inclusion=proof.inclusion[:1]), last)


@forged(3, Code.INCLUSION_OF_NOTHING)
def a_proof_of_an_entry_that_is_not_there() -> Forged:
    def change(proof: Proof) -> Proof:
        return replace(proof, inclusion=(proof.inclusion[0], replace(proof.inclusion[1], version=9999)))

    return beside("plain", change, 9999)


@forged(3, Code.INCLUSION_OF_NOTHING)
def the_same_proof_twice() -> Forged:
    return beside("plain", lambda proof: replace(proof, inclusion=proof.inclusion[:1] * 2), 5)


@forged(3, Code.PLACES_OUT_OF_ORDER)
def a_stream_whose_end_is_in_the_log_before_its_beginning() -> Forged:
    game = story("plain")
    forgery = Forgery(game)
    log = TestHouse(seed=game.house.seed)
    early = log.publish()
    anchor = Anchor(len(log.leaves), log.checkpoint().root)
    for place in (forgery.find(CeremonyOpened, nth) for nth in range(len(game.versions(CeremonyOpened)))):
        forgery.drafts[place].anchor = anchor
        forgery.drafts[place].anchor_note = early
    written = forgery.write()
    log.now_ms = written.house.now_ms
    places = {version: log.append(written.entries[version]) for version in reversed(range(len(written.entries)))}
    proof = written.game_proof()
    size = len(log.leaves)
    inclusion = tuple(
        Inclusion(item.version, places[item.version], log.inclusion(places[item.version], size))
        for item in proof.inclusion
    )
    manifests = tuple(replace(item, inclusion=log.inclusion(item.index, size)) for item in proof.manifests)
    anchors = tuple(replace(item, consistency=log.consistency(anchor.size, size)) for item in proof.anchors)
    proof = replace(proof, inclusion=inclusion, manifests=manifests, anchors=anchors, checkpoint=log.publish())
    return Forged(proof, log.policy, len(written.entries) - 1)


@forged(3, Code.ANCHOR_MISSING)
def a_ceremony_without_its_anchor() -> Forged:
    def change(proof: Proof) -> Proof:
        return replace(proof, anchors=proof.anchors[:-1])

    return beside("plain", change, story("plain").versions(CeremonyOpened)[-1])


@forged(3, Code.ANCHOR_OF_NOTHING)
def an_anchor_of_a_card() -> Forged:
    def change(proof: Proof) -> Proof:
        moved = replace(proof.anchors[0], version=proof.anchors[0].version + 1)
        return replace(proof, anchors=(moved, *proof.anchors[1:]))

    return beside("plain", change, story("plain").versions(CeremonyOpened)[0] + 1)


@forged(3, Code.ANCHOR_DIFFERS)
def an_anchor_that_is_another_checkpoint_of_the_log() -> Forged:
    def change(proof: Proof) -> Proof:
        first, second, *rest = proof.anchors
        return replace(proof, anchors=(first, replace(second, checkpoint=first.checkpoint), *rest))

    return beside("plain", change, story("plain").versions(CeremonyOpened)[1])


@forged(3, Code.NOT_CONSISTENT)
def an_anchor_that_the_tree_did_not_grow_out_of() -> Forged:
    def change(proof: Proof) -> Proof:
        first, second, *rest = proof.anchors
        return replace(proof, anchors=(first, replace(second, consistency=second.consistency[1:]), *rest))

    return beside("plain", change, story("plain").versions(CeremonyOpened)[1])


@forged(3, Code.NOT_CONSISTENT)
def an_anchor_in_a_second_history_of_the_same_log() -> Forged:
    game = story("plain")
    other = TestHouse(seed=game.house.seed)
    other.append(b"a second history")
    note, anchor = other.publish(time_ms=game.house.now_ms - 60_000), Anchor(len(other.leaves), other.checkpoint().root)

    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(CeremonyOpened)
        draft.anchor, draft.anchor_note = anchor, note
        return draft

    return within("plain", change)


# 4 Manifest and house signatures.


@forged(4, "BAD_MANIFEST")
def a_manifest_signed_by_another_root() -> Forged:
    game = story("plain")
    stranger = TestHouse(seed=98)
    trusted = game.house.policy
    return replace(beside("plain", lambda proof: proof), policy=replace(trusted, roots=stranger.policy.roots))


@forged(4, Code.EVENT_KEY_UNKNOWN)
def a_table_under_a_manifest_that_is_not_there() -> Forged:
    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(TableOpened)
        draft.edit(manifest_leaf=bytes(32))
        return draft

    return within("plain", change)


@forged(4, Code.EVENT_KEY_REVOKED)
def entries_by_a_key_that_was_revoked_before() -> Forged:
    game = story("plain")
    forgery = Forgery(game)
    draft = forgery.drafts[-3]

    def revoke(house: TestHouse) -> None:
        key = house.event_key
        house.rotate(revoke=True)
        house.event_key = key

    draft.house_acts = (revoke,)
    return Forged(forgery.game_proof(), game.house.policy, len(game.entries) - 1)


@forged(4, Code.OTHER_KEY_ID)
def an_entry_by_a_key_that_is_not_the_houses() -> Forged:
    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(Dealt, 1)
        draft.house_key = TestHouse(seed=97).event_key
        return draft

    return within("plain", change)


@forged(4, Code.HOUSE_SIGNATURE)
def a_start_that_the_house_did_not_sign() -> Forged:
    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(GameStarted)
        draft.entry_signature = forgery.game.entries[0][-64:]
        return draft

    return within("plain", change)


@forged(4, Code.HOUSE_SIGNATURE)
def an_end_that_the_house_did_not_sign() -> Forged:
    def change(forgery: Forgery) -> Draft:
        draft = forgery.drafts[-1]
        draft.entry_signature = forgery.game.entries[0][-64:]
        return draft

    return within("plain", change)


@forged(4, Code.HOUSE_SIGNATURE)
def an_entry_in_the_middle_that_the_house_did_not_sign() -> Forged:
    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(Play, 7)
        draft.entry_signature = forgery.game.entries[0][-64:]
        return draft

    return replace(within("plain", change), wishes=Wishes(signatures=Signatures.ALL))


# 5 Chain.


@forged(5, Code.OTHER_TABLE)
def an_entry_of_another_table() -> Forged:
    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(Play, 3)
        draft.table = bytes(16)
        return draft

    return within("plain", change)


@forged(5, Code.VERSION_GAP)
def a_version_that_is_left_out() -> Forged:
    def change(forgery: Forgery) -> Draft:
        at = forgery.find(Play, 3)
        for place, draft in enumerate(forgery.drafts[at:], at):
            draft.version = place + 1
        return forgery.drafts[at]

    return within("plain", change)


@forged(5, Code.BROKEN_LINK)
def an_entry_that_names_another_before_it() -> Forged:
    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(Play, 3)
        draft.previous = bytes(32)
        return draft

    return within("plain", change)


@forged(5, Code.NOT_THE_BEGINNING)
def an_opening_that_stops_before_the_start() -> Forged:
    # The step before asks for the proof of GameStarted only where there is one, so its proof is of nothing here.
    def change(proof: Proof) -> Proof:
        return replace(proof, opening=proof.opening[:-1], inclusion=proof.inclusion[1:])

    return beside("plain", change, 4, round_=2)


@forged(5, Code.NOT_THE_ROUND_BEFORE)
def a_later_round_that_begins_in_the_middle() -> Forged:
    def change(proof: Proof) -> Proof:
        return replace(proof, first_version=proof.first_version + 1, entries=proof.entries[1:], anchors=proof.anchors)

    return beside("plain", change, story("plain").versions(RoundRevealed)[0] + 1, round_=2)


@forged(5, Code.ENTRY_AFTER_END)
def a_card_after_the_end() -> Forged:
    def change(forgery: Forgery) -> int:
        last = forgery.drafts[-1]
        forgery.drafts.append(Draft(GameEnded(GameEndCause.TARGET, 0), last.time_ms, None))
        return len(forgery.drafts) - 1

    return within("plain", change)


@forged(5, Code.ENTRY_AFTER_END)
def two_rounds_in_the_proof_of_one() -> Forged:
    game = story("plain")
    one, two = game.round_proof(1), game.round_proof(2)
    both = replace(
        one,
        entries=one.entries + two.entries[1:],
        anchors=one.anchors + two.anchors,
        inclusion=(one.inclusion[0], two.inclusion[1]),
    )
    first = game.versions(RoundRevealed)[0]
    return beside("plain", lambda proof: _at_one_checkpoint(both), first + 1)


def _at_one_checkpoint(proof: Proof) -> Proof:
    """Rounds proved at different times, brought to the tree of the game proof."""
    whole = story("plain").game_proof()
    last = proof.inclusion[1].version
    house = story("plain").house
    place = story("plain").places[last]
    inclusion = (whole.inclusion[0], Inclusion(last, place, house.inclusion(place, len(house.leaves))))
    versions = {anchor.version for anchor in proof.anchors}
    anchors = tuple(anchor for anchor in whole.anchors if anchor.version in versions)
    return replace(proof, inclusion=inclusion, anchors=anchors, manifests=whole.manifests, checkpoint=whole.checkpoint)


@forged(5, Code.NO_SUCH_ROUND)
def the_round_that_was_forfeited() -> Forged:
    def change(proof: Proof) -> Proof:
        return replace(proof, kind=ProofKind.ROUND, round=1)

    return beside("forfeited", change, len(story("forfeited").entries) - 1)


@forged(5, Code.OTHER_HEAD)
def a_game_that_is_not_the_one_its_reader_saw() -> Forged:
    seen = Wishes(head=(20, leaf(story("long").entries[20])))
    return replace(beside("plain", lambda proof: proof, 20), wishes=seen)


# 6 Players' signatures, seats, contexts, seen heads, numbers.


def changed_play(nth: int = 9, **fields: object) -> Callable[[Forgery], Draft]:
    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(Play, nth)
        draft.edit(**fields)
        return draft

    return change


@forged(6, Code.PLAYER_SIGNATURE)
def a_card_that_the_house_played_itself() -> Forged:
    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(Play, 9)
        draft.signer = TestHouse(seed=96).operator_key
        return draft

    return within("plain", change)


@forged(6, Code.PLAYER_SIGNATURE)
def a_join_by_somebody_else() -> Forged:
    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(Join, 2)
        draft.signer = TestHouse(seed=96).operator_key
        return draft

    return within("plain", change)


@forged(6, Code.PLAYER_SIGNATURE)
def a_stand_in_that_did_not_join_itself() -> Forged:
    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(StoodIn)
        draft.signer = TestHouse(seed=96).operator_key
        return draft

    return within("troubled", change)


@forged(6, Code.SEEN_OTHER)
def a_card_played_upon_another_history() -> Forged:
    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(Play, 9)
        draft.seen_hash = bytes(32)
        return draft

    return within("plain", change)


@forged(6, Code.SEEN_OTHER)
def a_stand_in_that_saw_another_history() -> Forged:
    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(StoodIn)
        draft.seen_hash = bytes(32)
        return draft

    return within("troubled", change)


@forged(6, Code.OTHER_GAME_ID)
def a_game_with_an_id_of_its_own() -> Forged:
    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(GameStarted)
        draft.edit(game_id=bytes(32))
        return draft

    return within("plain", change)


@forged(6, Code.OTHER_SEATS)
def seats_that_changed_places() -> Forged:
    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(GameStarted)
        assert isinstance(draft.content, GameStarted)
        first, second, *rest = draft.content.seats
        draft.edit(seats=(second, first, *rest))
        return draft

    return within("plain", change)


@forged(6, Code.OTHER_SEAT_JOINED)
def a_stand_in_that_joined_another_seat() -> Forged:
    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(StoodIn)
        content = draft.content
        assert isinstance(content, StoodIn)
        draft.edit(join=content.join._replace(move=content.join.move._replace(seat=content.seat ^ 1)))
        return draft

    return within("troubled", change)


@forged(6, "WRONG_GAME")
def a_card_of_another_game() -> Forged:
    return within("plain", changed_play(game_id=bytes(32)))


@forged(6, "WRONG_CONTEXT")
def a_card_of_another_round() -> Forged:
    return within("plain", changed_play(round=2))


@forged(6, "WRONG_CONTEXT")
def a_stand_in_of_another_attempt() -> Forged:
    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(StoodIn)
        content = draft.content
        assert isinstance(content, StoodIn)
        draft.edit(join=content.join._replace(move=content.join.move._replace(attempt=7)))
        return draft

    return within("troubled", change)


@forged(6, "NUMBER_NOT_NEXT")
def a_move_that_was_left_out() -> Forged:
    return within("plain", changed_play(number=99))


@forged(6, "SEEN_NOT_YET")
def a_player_who_saw_what_was_still_to_come() -> Forged:
    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(Play, 9)
        draft.edit(seen_version=forgery.drafts.index(draft))
        draft.seen_hash = bytes(32)
        return draft

    return within("plain", change)


@forged(6, "SEEN_FELL")
def a_player_who_forgot_what_was_seen_before() -> Forged:
    return within("plain", changed_play(seen_version=0))


@forged(6, "STALE_MOVE")
def a_card_kept_for_a_later_turn() -> Forged:
    # The seat protests, having seen nothing new, and then plays upon what it saw then.
    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(Play, 9)
        assert isinstance(draft.content, Move)
        draft.edit(seen_version=draft.content.seen_version - 1)
        return draft

    return within("plain", change)


@forged(6, "SEAT_NOT_FREE")
def a_seat_that_is_taken_twice() -> Forged:
    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(Join, 2)
        draft.edit(seat=0)
        return draft

    return within("plain", change)


@forged(6, "ALREADY_SEATED")
def a_key_with_two_seats() -> Forged:
    def change(forgery: Forgery) -> Draft:
        first, draft = forgery.draft(Join, 0), forgery.draft(Join, 2)
        assert isinstance(first.content, Move)
        assert isinstance(first.content.act, Join)
        draft.edit(public_key=first.content.act.public_key, number=1)
        draft.signer = first.signer
        return draft

    return within("plain", change)


@forged(6, "SEAT_IS_FREE")
def a_seat_that_acts_before_anybody_sits_there() -> Forged:
    def change(forgery: Forgery) -> Draft:
        first, draft = forgery.draft(Join, 0), forgery.draft(Join, 1)
        assert isinstance(draft.content, Move)
        draft.content = draft.content._replace(act=Leave(), seat=3)
        draft.signer = first.signer
        return draft

    return within("plain", change)


@forged(6, "KEY_NOT_NEW")
def a_player_who_has_the_event_key() -> Forged:
    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(Join, 2)
        draft.edit(public_key=forgery.game.event_key.public)
        draft.signer = forgery.game.event_key
        return draft

    return within("plain", change)


@forged(6, "KEY_NOT_NEW")
def a_stand_in_with_a_players_key() -> Forged:
    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(StoodIn)
        content = draft.content
        assert isinstance(content, StoodIn)
        player = forgery.game.players[3].key
        move = content.join.move
        assert isinstance(move.act, Join)
        draft.edit(join=content.join._replace(move=move._replace(act=move.act._replace(public_key=player.public))))
        draft.signer = player
        return draft

    return within("troubled", change)


@forged(6, "SHARED_KEY")
def a_player_who_has_a_key_of_the_operator() -> Forged:
    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(Join, 2)
        key = forgery.game.house.operator_key
        draft.edit(public_key=key.public)
        draft.signer = key
        return draft

    return within("plain", change)


@forged(6, "SHARED_KEY")
def a_stand_in_that_has_the_root_key() -> Forged:
    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(StoodIn)
        content = draft.content
        assert isinstance(content, StoodIn)
        key = forgery.game.house.first_root
        move = content.join.move
        assert isinstance(move.act, Join)
        draft.edit(join=content.join._replace(move=move._replace(act=move.act._replace(public_key=key.public))))
        draft.signer = key
        return draft

    return within("troubled", change)


@forged(6, "NOT_A_BOT")
def a_stand_in_that_joins_as_a_person() -> Forged:
    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(StoodIn)
        content = draft.content
        assert isinstance(content, StoodIn)
        move = content.join.move
        assert isinstance(move.act, Join)
        person = move._replace(act=move.act._replace(kind=SeatKind.PERSON))
        draft.edit(join=content.join._replace(move=person))
        return draft

    return within("troubled", change)


# 7 Ceremonies.


@forged(7, Code.CEREMONY_OUT_OF_ORDER)
def a_set_closed_before_all_have_committed() -> Forged:
    def change(forgery: Forgery) -> int:
        at = forgery.find(CommitSetClosed)
        drafts = forgery.drafts
        drafts[at - 1], drafts[at] = drafts[at], drafts[at - 1]
        drafts[at - 1].time_ms = drafts[at].time_ms
        return at - 1

    return within("plain", change)


@forged(7, Code.CEREMONY_OUT_OF_ORDER)
def a_deal_without_a_number() -> Forged:
    def change(forgery: Forgery) -> int:
        at = forgery.find(Dealt)
        del forgery.drafts[at - 1]
        return at - 1

    return within("plain", change)


@forged(7, Code.CEREMONY_OUT_OF_ORDER)
def a_move_where_the_deal_is_due() -> Forged:
    def change(forgery: Forgery) -> int:
        at = forgery.find(Dealt)
        del forgery.drafts[at]
        return at

    return within("plain", change)


@pytest.mark.parametrize("field", ["ctx", "hakem", "score", "rules_hash", "holders"])
def test_each_field_of_an_opening_is_compared(field: str) -> None:
    """A ceremony with another field than the entries before it give is refused by that field's name."""
    game = story("plain")
    content = game.events[game.versions(CeremonyOpened)[2]].content
    assert isinstance(content, CeremonyOpened)
    others = {
        "ctx": content.ctx[:-1] + b"\7",
        "hakem": (content.hakem or 0) ^ 1,
        "score": (content.score[0] + 1, content.score[1]),
        "rules_hash": bytes(32),
        "holders": (Holder(SeatKind.BOT, content.holders[0].public_key), *content.holders[1:]),
    }
    case = changed("plain", CeremonyOpened, 2, **{field: others[field]})
    refused(case, Step.CEREMONY, Code.CEREMONY_DIFFERS)
    report = case.verify()
    assert report.fault is not None
    assert report.fault.facts["field"] == field


@forged(7, Code.CEREMONY_DIFFERS)
def a_ceremony_that_leaves_out_an_attempt() -> Forged:
    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(CeremonyOpened, 1)
        assert isinstance(draft.content, CeremonyOpened)
        draft.edit(ctx=draft.content.ctx[:-1] + b"\1")
        return draft

    return within("plain", change)


@forged(7, Code.COMMIT_SET_DIFFERS)
def a_set_of_other_commitments() -> Forged:
    return changed("plain", CommitSetClosed, commit_set=bytes(32))


@forged(7, Code.NUMBER_DOES_NOT_OPEN)
def a_deal_from_another_number_of_a_player() -> Forged:
    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(RoundRevealed)
        assert isinstance(draft.content, RoundRevealed)
        draft.edit(numbers=(bytes(32), *draft.content.numbers[1:]))
        return draft

    return within("plain", change)


@forged(7, Code.NUMBER_DOES_NOT_OPEN)
def a_deal_from_another_number_of_the_house() -> Forged:
    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(RoundRevealed, 1)
        assert isinstance(draft.content, RoundRevealed)
        draft.edit(numbers=(*draft.content.numbers[:4], bytes(32)))
        return draft

    return within("plain", change)


@forged(7, Code.NUMBER_DOES_NOT_OPEN)
def a_draw_from_another_number() -> Forged:
    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(HakemDrawn)
        assert isinstance(draft.content, HakemDrawn)
        draft.edit(numbers=(*draft.content.numbers[:3], bytes(32), draft.content.numbers[4]))
        return draft

    return within("plain", change)


@forged(7, Code.NUMBER_DOES_NOT_OPEN)
def a_void_that_shows_another_number() -> Forged:
    return changed("forfeited", CeremonyVoided, house_number=bytes(32))


@forged(7, Code.NUMBER_DOES_NOT_OPEN)
def a_fault_that_shows_another_number() -> Forged:
    return changed("silent_bot", ServerFault, house_number=bytes(32))


@forged(7, Code.NUMBER_DOES_NOT_OPEN)
def a_seat_whose_commitment_is_by_another_key() -> Forged:
    # A commitment is bound to the key that holds the seat: the number of another key opens nothing.
    def change(forgery: Forgery) -> Draft:
        game = forgery.game
        opened = game.events[game.versions(CeremonyOpened)[0]].content
        drawn = game.events[game.versions(HakemDrawn)[0]].content
        assert isinstance(opened, CeremonyOpened)
        assert isinstance(drawn, HakemDrawn)
        draft = forgery.draft(Commit, 0)
        assert isinstance(draft.content, Move)
        seat = draft.content.seat
        other = opened.holders[seat ^ 1].public_key
        made = commitment(opened.ctx, seat, other, drawn.numbers[seat])
        draft.edit(commitment=made)
        _close_again(forgery, opened, nth=0)
        return forgery.draft(HakemDrawn)

    return within("plain", change)


def _close_again(forgery: Forgery, opened: CeremonyOpened, nth: int) -> None:
    """Compute the set of a ceremony anew, and have everybody reveal over it."""
    commits = sorted(
        (
            (draft.content.seat, draft.content.act.commitment)
            for draft in (forgery.draft(Commit, 4 * nth + count) for count in range(4))
            if isinstance(draft.content, Move) and isinstance(draft.content.act, Commit)
        ),
    )
    made = commit_set(opened.ctx, [*(given for _, given in commits), opened.house_commitment])
    forgery.draft(CommitSetClosed, nth).edit(commit_set=made)
    for count in range(4):
        forgery.draft(Reveal, 4 * nth + count).edit(commit_set=made)


@forged(7, "COMMITMENT_COPIED")
def a_commitment_that_was_copied() -> Forged:
    def change(forgery: Forgery) -> Draft:
        first, draft = forgery.draft(Commit, 4), forgery.draft(Commit, 5)
        assert isinstance(first.content, Move)
        assert isinstance(first.content.act, Commit)
        draft.edit(commitment=first.content.act.commitment)
        return draft

    return within("plain", change)


@forged(7, "COMMITMENT_COPIED")
def a_commitment_that_is_the_houses() -> Forged:
    def change(forgery: Forgery) -> Draft:
        opened, draft = forgery.draft(CeremonyOpened, 1), forgery.draft(Commit, 4)
        assert isinstance(opened.content, CeremonyOpened)
        draft.edit(commitment=opened.content.house_commitment)
        return draft

    return within("plain", change)


@forged(7, "WRONG_COMMIT_SET")
def a_number_revealed_over_another_set() -> Forged:
    return changed("plain", Reveal, 2, commit_set=bytes(32))


@forged(7, "ALREADY_COMMITTED")
def a_seat_that_commits_twice() -> Forged:
    def change(forgery: Forgery) -> Draft:
        first, draft = forgery.draft(Commit, 0), forgery.draft(Commit, 1)
        assert isinstance(first.content, Move)
        draft.content = first.content._replace(number=first.content.number + 1, act=Commit(bytes(32)))
        draft.signer = first.signer
        return draft

    return within("plain", change)


@forged(7, "ALREADY_REVEALED")
def a_seat_that_reveals_twice() -> Forged:
    def change(forgery: Forgery) -> Draft:
        first, draft = forgery.draft(Reveal, 0), forgery.draft(Reveal, 1)
        assert isinstance(first.content, Move)
        draft.content = first.content._replace(number=first.content.number + 1)
        draft.signer = first.signer
        return draft

    return within("plain", change)


@forged(7, "NOT_OPEN_YET")
def a_person_who_commits_before_the_bots() -> Forged:
    def change(forgery: Forgery) -> Draft:
        bot, person = forgery.find(Commit, 0), forgery.find(Commit, 2)
        drafts = forgery.drafts
        drafts[bot] = Draft(drafts[person].content, drafts[bot].time_ms, drafts[person].signer)
        assert isinstance(drafts[bot].content, Move)
        drafts[bot].edit(seen_version=bot - 1)
        return drafts[bot]

    return within("long", change)


# 8 Voids, protests, missed deadlines.


@forged(8, Code.VOID_DIFFERS)
def a_void_that_names_another_seat() -> Forged:
    return changed("forfeited", CeremonyVoided, seats=(1,))


@forged(8, Code.VOID_DIFFERS)
def a_void_that_hides_a_number_that_came() -> Forged:
    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(CeremonyVoided)
        assert isinstance(draft.content, CeremonyVoided)
        draft.edit(numbers=draft.content.numbers[1:])
        return draft

    return within("forfeited", change)


@forged(8, Code.VOID_DIFFERS)
def a_void_of_another_cause() -> Forged:
    return changed("forfeited", CeremonyVoided, cause=VoidCause.NO_COMMITMENT)


@forged(8, Code.FAULT_DIFFERS)
def a_fault_that_hides_who_was_missing() -> Forged:
    return changed("silent_bot", ServerFault, seats=())


@forged(8, Code.FAULT_DIFFERS)
def a_fault_that_hides_the_houses_number() -> Forged:
    return changed("silent_bot", ServerFault, house_number=b"")


@forged(8, Code.FAULT_DIFFERS)
def a_deal_that_is_called_impossible_and_is_not() -> Forged:
    return within("no_deal", lambda forgery: forgery.drafts[-1])


@forged(8, Code.FAULT_DIFFERS)
def an_impossible_deal_that_hides_a_number() -> Forged:
    def change(forgery: Forgery) -> Draft:
        draft = forgery.drafts[-1]
        assert isinstance(draft.content, ServerFault)
        draft.edit(received=draft.content.received[1:])
        return draft

    return within("no_deal", change)


@forged(8, Code.FAULT_DIFFERS)
def an_impossible_deal_before_all_numbers_are_there() -> Forged:
    def change(forgery: Forgery) -> int:
        del forgery.drafts[-2]
        return len(forgery.drafts) - 1

    return within("no_deal", change)


@forged(8, Code.FAULT_DIFFERS)
def numbers_that_were_lost_where_there_are_none() -> Forged:
    def change(forgery: Forgery) -> int:
        at = forgery.find(GameStarted) + 1
        drafts = forgery.drafts
        del drafts[at:]
        drafts.append(Draft(ServerFault(ServerFaultCause.SEALED_LOST), drafts[-1].time_ms, None))
        return at

    return within("plain", change)


# 9 Deck and hands.


@forged(9, Code.OTHER_HAKEM_DRAWN)
def a_hakem_whom_the_numbers_did_not_draw() -> Forged:
    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(HakemDrawn)
        assert isinstance(draft.content, HakemDrawn)
        draft.edit(hakem=draft.content.hakem ^ 1)
        return draft

    return within("plain", change)


# 10 Every move decided again.


@forged(10, "MUST_FOLLOW_SUIT")
def a_card_of_another_suit_than_was_led() -> Forged:
    def change(forgery: Forgery) -> Draft:
        for place, table in enumerate(tables("plain")):
            stage = table.stage
            if isinstance(stage, Round) and stage.trick and stage.decision and stage.trump is not None:
                held = hand_in("plain", place, stage)
                other = held & ~SUIT_MASKS[stage.trick[0] // 13]
                if other and other != held:
                    draft = forgery.drafts[place]
                    draft.edit(card=other.bit_length() - 1)
                    return draft
        raise AssertionError("somebody always could")

    return within("plain", change)


@forged(10, "CARD_NOT_HELD")
def a_card_from_somebody_elses_hand() -> Forged:
    def change(forgery: Forgery) -> Draft:
        at = forgery.find(Play, 0)
        stage = tables("plain")[at].stage
        assert isinstance(stage, Round)
        others = (1 << 52) - 1 & ~hand_in("plain", at, stage)
        draft = forgery.drafts[at]
        draft.edit(card=others.bit_length() - 1)
        return draft

    return within("plain", change)


@forged(10, "CARD_NOT_HELD")
def a_card_that_was_played_before() -> Forged:
    def change(forgery: Forgery) -> Draft:
        first, draft = forgery.draft(Play, 0), forgery.draft(Play, 4)
        assert isinstance(first.content, Move)
        assert isinstance(first.content.act, Play)
        draft.edit(card=first.content.act.card)
        return draft

    return within("plain", change)


def hand_in(name: str, place: int, round_: Round) -> int:
    """What the seat in turn holds before the entry of that place."""
    game = story(name)
    revealed = next(event.content for event in game.events[place:] if isinstance(event.content, RoundRevealed))
    assert round_.ceremony.commit_set is not None
    dealt = hands_of(round_.ceremony.commit_set, revealed.numbers, round_.hakem, game.rules.packets).dealt[round_.turn]
    assert dealt is not None
    return dealt & ~round_.played


@forged(10, "NOT_YOUR_TURN")
def a_card_out_of_turn() -> Forged:
    def change(forgery: Forgery) -> Draft:
        at = forgery.find(Play, 8)
        drafts = forgery.drafts
        drafts[at] = Draft(drafts[at + 1].content, drafts[at].time_ms, drafts[at + 1].signer)
        drafts[at].edit(seen_version=at - 1)
        return drafts[at]

    return within("plain", change)


def another_act(name: str, kind: type, nth: int, act: object) -> Forged:
    """A story in which a move does something else."""

    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(kind, nth)
        draft.edit(act=act)
        return draft

    return within(name, change)


@forged(10, "WRONG_PHASE")
def trumps_that_are_named_again() -> Forged:
    return another_act("plain", Play, 0, NameTrump(2))


@forged(10, "WRONG_PHASE")
def a_card_before_trumps() -> Forged:
    return another_act("plain", NameTrump, 0, Play(0))


@forged(10, "WRONG_PHASE")
def resigning_in_a_ceremony() -> Forged:
    return another_act("plain", Commit, 5, Resign())


@forged(10, "RULE_OFF")
def an_act_of_a_rule_that_is_off() -> Forged:
    return another_act("plain", Play, 3, TakeBack())


@forged(10, "NOT_ABSENT")
def coming_back_without_having_been_away() -> Forged:
    return another_act("plain", Play, 3, Return())


@forged(10, "ALREADY_LEFT")
def leaving_twice() -> Forged:
    def change(forgery: Forgery) -> int:
        at = forgery.find(Leave)
        content = forgery.drafts[at].content
        assert isinstance(content, Move)
        again = content._replace(number=content.number + 1)
        forgery.drafts.insert(at + 2, Draft(again, forgery.drafts[at + 1].time_ms, forgery.drafts[at].signer))
        return at + 2

    return within("abandoned", change)


@forged(10, "ALREADY_BACK")
def coming_back_twice() -> Forged:
    # Seat 2, whose card the stand-in still has to choose, says so twice.
    def change(forgery: Forgery) -> int:
        at = next(
            place
            for place, draft in enumerate(forgery.drafts)
            if isinstance(draft.content, StoodIn) and draft.content.cause is StandInCause.AWAY
        )
        player = forgery.game.players[2].key
        left = forgery.draft(Leave)
        assert isinstance(left.content, Move)
        for count in range(2):
            move = left.content._replace(act=Return(), number=left.content.number + count, seen_version=at)
            forgery.drafts.insert(at + 1 + count, Draft(move, forgery.drafts[at].time_ms, player))
        return at + 2

    return within("troubled", change)


@forged(10, "ALREADY_RESIGNED")
def resigning_twice() -> Forged:
    def change(forgery: Forgery) -> int:
        at = forgery.find(Resign)
        content = forgery.drafts[at].content
        assert isinstance(content, Move)
        again = content._replace(number=content.number + 1)
        forgery.drafts.insert(at + 1, Draft(again, forgery.drafts[at].time_ms, forgery.drafts[at].signer))
        return at + 1

    return within("resigned", change)


@forged(10, "ONLY_PERSONS_RESIGN")
def a_bot_that_resigns() -> Forged:
    return another_act("bots", Play, 5, Resign())


@forged(10, "NOTHING_PROTESTED")
def a_protest_about_nothing() -> Forged:
    return another_act("plain", Play, 5, ProtestOnly())


@forged(10, "TOO_MANY_PROTESTS")
def more_protests_than_anybody_reads() -> Forged:
    def change(forgery: Forgery) -> int:
        at = forgery.find(ProtestOnly, -1)
        content = forgery.drafts[at].content
        assert isinstance(content, Move)
        for count in range(1, 4):
            again = content._replace(number=content.number + count)
            forgery.drafts.insert(at + count, Draft(again, forgery.drafts[at].time_ms, forgery.drafts[at].signer))
        return at + 3

    return within("troubled", change)


@forged(10, Code.OUT_OF_ORDER)
def a_card_where_a_stand_in_is_due() -> Forged:
    def change(forgery: Forgery) -> int:
        at = next(
            place
            for place, draft in enumerate(forgery.drafts)
            if isinstance(draft.content, StoodIn) and draft.content.cause is StandInCause.MISSED
        )
        del forgery.drafts[at]
        return at

    return within("troubled", change)


@forged(10, Code.OUT_OF_ORDER)
def a_round_that_goes_on_after_the_last_trick() -> Forged:
    def change(forgery: Forgery) -> int:
        at = forgery.find(RoundRevealed)
        last = forgery.drafts[at - 1]
        forgery.drafts.insert(at, Draft(last.content, last.time_ms, last.signer))
        return at

    return within("plain", change)


@forged(10, Code.OUT_OF_ORDER)
def tea_at_a_table_without_tea() -> Forged:
    def change(forgery: Forgery) -> int:
        at = forgery.find(Play, 4)
        forgery.drafts.insert(at, Draft(TeaBegan(), forgery.drafts[at].time_ms, None))
        return at

    return within("plain", change)


@forged(10, Code.OUT_OF_ORDER)
def a_round_that_is_closed_in_the_middle() -> Forged:
    def change(forgery: Forgery) -> int:
        at = forgery.find(Play, 4)
        forgery.drafts.insert(at, Draft(forgery.draft(RoundRevealed).content, forgery.drafts[at].time_ms, None))
        return at

    return within("plain", change)


@forged(10, Code.POLICY_DIFFERS)
def a_card_that_the_policy_does_not_choose() -> Forged:
    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(TimedOut)
        assert isinstance(draft.content, TimedOut)
        assert draft.content.card is not None
        draft.edit(card=(draft.content.card + 1) % 52)
        return draft

    return within("troubled", change)


@forged(10, Code.POLICY_DIFFERS)
def a_policy_that_plays_for_another_seat() -> Forged:
    return changed("troubled", TimedOut, seat=3)


@forged(10, Code.STAND_IN_DIFFERS)
def a_stand_in_for_another_seat() -> Forged:
    return changed("troubled", StoodIn, seat=0)


@forged(10, Code.STAND_IN_DIFFERS)
def a_stand_in_for_another_cause() -> Forged:
    return changed("troubled", StoodIn, cause=StandInCause.LEFT)


@forged(10, Code.NOT_AWAY)
def a_person_called_away_too_early() -> Forged:
    def change(forgery: Forgery) -> Draft:
        draft = next(
            draft
            for draft in forgery.drafts
            if isinstance(draft.content, StoodIn) and draft.content.cause is StandInCause.AWAY
        )
        draft.time_ms -= 1
        return draft

    return within("troubled", change)


@forged(10, Code.NOT_REOPENED)
def deadlines_that_begin_anew_before_they_are_over() -> Forged:
    def change(forgery: Forgery) -> Draft:
        at = forgery.find(Reopened)
        forgery.drafts[at].time_ms = forgery.drafts[at - 1].time_ms
        return forgery.drafts[at]

    return within("troubled", change)


@forged(10, Code.NOT_REOPENED)
def deadlines_that_begin_anew_twice() -> Forged:
    def change(forgery: Forgery) -> int:
        at = forgery.find(Reopened)
        draft = forgery.drafts[at]
        forgery.drafts.insert(at + 1, Draft(draft.content, draft.time_ms + 200_000, None))
        return at + 1

    return within("troubled", change)


@forged(10, Code.NOT_REOPENED)
def nothing_that_begins_anew() -> Forged:
    return changed("troubled", Reopened, seats=())


# 11 Result.


@pytest.mark.parametrize("field", ["winner", "tricks", "points", "score", "next_hakem", "carried", "unturned"])
def test_each_field_of_a_result_is_compared(field: str) -> None:
    """A result with another field than the cards give is refused by that field's name."""
    game = story("plain")
    content = game.events[game.versions(RoundRevealed)[0]].content
    assert isinstance(content, RoundRevealed)
    assert content.winner is not None
    assert content.next_hakem is not None
    others: dict[str, object] = {
        "winner": 1 - content.winner,
        "tricks": content.tricks[::-1],
        "points": content.points + 1,
        "score": content.score[::-1],
        "next_hakem": content.next_hakem ^ 1,
        "carried": content.carried._replace(faults=(1, 0)),
        "unturned": (UnturnedLay(0, 1, 0, bytes(32)),),
    }
    case = changed("plain", RoundRevealed, 0, **{field: others[field]})
    refused(case, Step.RESULT, Code.RESULT_DIFFERS)
    report = case.verify()
    assert report.fault is not None
    assert report.fault.facts["field"] == field


@forged(11, Code.RESULT_DIFFERS)
def points_that_nobody_made() -> Forged:
    return changed("plain", RoundRevealed, 1, points=3)


@forged(11, Code.ENDING_DIFFERS)
def a_game_won_by_the_losers() -> Forged:
    return changed("plain", GameEnded, winner=1)


@forged(11, Code.ENDING_DIFFERS)
def a_game_that_is_called_abandoned() -> Forged:
    return changed("forfeited", GameEnded, cause=GameEndCause.ABANDONED, winner=None)


# 12 Times.


@forged(12, Code.TIME_FELL)
def an_entry_from_before_the_one_before_it() -> Forged:
    def change(forgery: Forgery) -> Draft:
        at = forgery.find(Play, 9)
        forgery.drafts[at].time_ms = forgery.drafts[at - 1].time_ms - 1
        return forgery.drafts[at]

    return within("plain", change)


@forged(12, Code.BEFORE_DEADLINE)
def a_deadline_that_came_too_early() -> Forged:
    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(TimedOut)
        draft.time_ms -= 1
        return draft

    return within("troubled", change)


@forged(12, Code.BEFORE_DEADLINE)
def a_void_that_came_too_early() -> Forged:
    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(CeremonyVoided)
        draft.time_ms -= 1
        return draft

    return within("troubled", change)


@forged(12, Code.DEADLINE_IGNORED)
def a_card_that_was_taken_too_late() -> Forged:
    def change(forgery: Forgery) -> Draft:
        at = forgery.find(Play, 9)
        for draft in forgery.drafts[at:]:
            draft.time_ms += 60_000
        return forgery.drafts[at]

    return within("plain", change)


@forged(12, "DEADLINE_PASSED")
def a_commitment_that_was_taken_too_late() -> Forged:
    # Seat 2's time began anew and the ceremony waits for it; seat 0's was over.
    def change(forgery: Forgery) -> int:
        at = forgery.find(CommitSetClosed)
        drafts = forgery.drafts
        first, second = (drafts[place] for place in (at - 2, at - 1))
        assert isinstance(first.content, Move)
        assert isinstance(second.content, Move)
        late = drafts[at - 3].time_ms + 100_000
        drafts.insert(at - 2, Draft(Reopened((second.content.seat,)), late, None))
        for draft in drafts[at - 1 :]:
            draft.time_ms = late
        return at - 1

    return within("plain", change)


@forged(12, Code.BEFORE_ANCHOR)
def a_ceremony_that_is_older_than_the_log_before_it() -> Forged:
    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(CeremonyOpened, 1)
        late = draft.time_ms + 62_000

        def see_later(house: TestHouse) -> None:
            draft.anchor_note = house.publish(time_ms=late)

        draft.house_acts = (see_later,)
        return draft

    return within("plain", change)


@forged(12, Code.AFTER_CHECKPOINT)
def an_entry_from_after_its_checkpoint() -> Forged:
    game = story("plain")
    early = game.events[-1].time_ms - 62_000
    proof = game.game_proof()
    note = game.house.publish(time_ms=early)
    latest = 1000 * (early // 1000) + 60_000
    version = next(event.version for event in game.events if event.time_ms > latest)
    return Forged(replace(proof, checkpoint=note), game.house.policy, version)


# 1 Format: what is in the entries; what is in the file is in test_proof.


@forged(1, Code.RULE_NOT_BUILT)
def a_table_that_waits_for_witnesses() -> Forged:
    def change(forgery: Forgery) -> Draft:
        rules = replace(forgery.game.rules, witnessed=True)
        draft = forgery.draft(TableOpened)
        draft.edit(rules=rules, rules_bytes=write_rules(rules))
        return draft

    return within("plain", change)


@forged(1, "NOT_UNDERSTOOD")
def an_entry_with_a_field_that_is_not_known() -> Forged:
    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(Dealt)
        body = parse_entry(forgery.game.entries[forgery.drafts.index(draft)]).body
        draft.body = body + b"\xf8\x3f\x01"
        return draft

    return within("plain", change)


@forged(1, "NOT_CANONICAL")
def an_entry_that_is_spelled_otherwise() -> Forged:
    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(Dealt)
        body = parse_entry(forgery.game.entries[forgery.drafts.index(draft)]).body
        draft.body = body[18:] + body[:18]  # the table's id comes last
        return draft

    return within("plain", change)


@forged(1, "NOT_AN_ENTRY")
def an_entry_in_another_frame() -> Forged:
    def change(proof: Proof) -> Proof:
        return replace(proof, entries=(proof.entries[0], b"HKE2" + proof.entries[1][4:], *proof.entries[2:]))

    return beside("plain", change, 1)


# The table of all of them.


@pytest.mark.parametrize(
    ("step", "code", "case"), CASES, ids=[f"{step:02}-{code}-{case.__name__}" for step, code, case in CASES]
)
def test_a_forgery_is_refused_by_the_step_that_it_offends(step: Step, code: str, case: Case) -> None:
    """Step, code and entry are those that the forger got wrong."""
    refused(case(), step, code)


@pytest.mark.parametrize("step", [step for step in Step if step is not Step.INDEPENDENCE])
def test_every_step_that_can_refuse_has_a_forgery(step: Step) -> None:
    """The thirteenth only warns."""
    assert any(known is step for known, _, _ in CASES)


def test_every_code_that_refuses_has_a_forgery() -> None:
    """What is not tried here is what makes a proof incomplete, and what warns."""
    incomplete = {Code.NO_CLOSING_ENTRY, Code.HEAD_NOT_REACHED}
    refusing = {code.value for code in Code if not is_warning(code) and code not in incomplete}
    assert refusing - {code for _, code, _ in CASES} == set()
