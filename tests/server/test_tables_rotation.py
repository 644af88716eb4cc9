# SPDX-License-Identifier: Apache-2.0
"""Keys change while games go on: each game is finished under its own, and the verifier finds every one of them right.

A game whose key is revoked ends at once, by the new key, and shows what was hidden.
"""

from __future__ import annotations

import asyncio
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hokm.entry import event_key_id, parse_entry
from hokm.events import ServerFault, ServerFaultCause
from hokm.policy import Policy
from hokm.proof import Proof
from hokm.signing import SigningKey
from hokm.table import Ceremony, Over, Round
from hokm.verify import Verdict, verify
from hokm_server import house_keys, rotation
from hokm_server.errors import EventKeyGone, KeysDisagree
from hokm_server.house_keys import EventKey
from hokm_server.key_files import Role
from hokm_server.store import KEYS_STREAM, Batch, Store
from tests.audit import proof_so_far
from tests.server.changing import key_files, revoke, rotate, take_up
from tests.server.room import BOTS, ORIGIN, Room, committing, dealt, is_over, playing, revealing
from tests.server.test_tables_house_rules import led


def signers(room: Room, table_id: bytes) -> list[bytes]:
    """The ids of the keys that signed a stream, each once, in order."""
    return [*dict.fromkeys(parse_entry(entry).key_id for entry in room.entries(table_id))]


def own_id(key: bytes) -> bytes:
    """By which entries name that event key."""
    return event_key_id(ORIGIN, key)


@pytest.mark.parametrize("until", [committing, revealing, dealt, playing])
async def test_a_game_goes_on_under_the_key_that_it_was_opened_under(room: Room, until: object) -> None:
    """Whatever is changed meanwhile; a table that is opened later is under the new one."""
    first = room.keys.event.public
    table_id, _ = await room.seat_four()
    await room.play(table_id, until)  # type: ignore[arg-type]
    secrets = room.live(table_id).secrets
    await rotate(room, Role.EVENT, Role.LOG, Role.ROOT)
    assert room.live(table_id).secrets == secrets
    other, _ = await room.seat_four()
    second = room.keys.event.public
    await room.finish(table_id)
    await room.finish(other)
    assert first != second
    assert signers(room, table_id) == [own_id(first)]
    assert signers(room, other) == [own_id(second)]


async def test_proofs_from_before_and_after_count_by_one_policy(room: Room) -> None:
    """The reader keeps the policy with the first root, with both log keys; the old log key alone reads both, too."""
    old_policy = room.keys.policy
    before, _ = await room.seat_four(kinds=BOTS)
    await room.finish(before)
    for _ in range(3):
        await rotate(room, Role.EVENT, Role.ROOT)
    await rotate(room, Role.LOG)
    after, _ = await room.seat_four(kinds=BOTS)
    await room.finish(after)
    room.log.publish()
    for table_id in (before, after):
        proof = proof_so_far(room.store, room.log, room.keys.public, table_id)
        assert len(Proof.parse(proof).roots) == 3
        for policy in (old_policy, room.keys.policy, without_first_log(room.keys.policy)):
            assert verify(proof, policy).verdict is Verdict.WITH_WARNINGS


def without_first_log(policy: Policy) -> Policy:
    """What a reader trusts who has let go of the old log key."""
    return replace(policy, logs=tuple(log for log in policy.logs if log != policy.logs[-1]))


async def test_an_old_log_key_signs_no_more_when_the_policy_names_it_no_more(room: Room) -> None:
    """Then a reader of the old policy is told that the log did not sign."""
    old_policy = room.keys.policy
    await rotate(room, Role.LOG)
    files = key_files(room)
    assert len(room.keys.log_keys) == 2
    rotation.change_policy(files, ORIGIN, [], [old_policy.logs[0].vkey.format()], None)
    await take_up(room)
    (files.directory / Role.LOG.file()).unlink()
    await take_up(room)
    assert len(room.keys.log_keys) == 1
    table_id, _ = await room.seat_four(kinds=BOTS)
    await room.finish(table_id)
    room.log.publish()
    proof = proof_so_far(room.store, room.log, room.keys.public, table_id)
    assert verify(proof, room.keys.policy).verdict is Verdict.WITH_WARNINGS
    assert verify(proof, old_policy).verdict is Verdict.REJECTED


async def test_an_entry_by_another_key_of_the_house_is_rejected(room: Room) -> None:
    """A table is under one key; neither the one before nor the one after may sign there."""
    table_id, _ = await room.seat_four(kinds=BOTS)
    await room.play(table_id, playing)
    old = room.keys.event_keys[room.keys.event.public]
    await rotate(room, Role.EVENT)
    live = room.live(table_id)
    live.signet = live.signet._replace(
        key=room.keys.event, key_id=own_id(room.keys.event.public), secret=old.house_secret
    )
    await room.finish(table_id)
    room.opened.remove(table_id)
    report = await room.judge(table_id)
    assert report.verdict is Verdict.REJECTED
    assert report.fault is not None
    assert report.fault.code == "OTHER_KEY_ID"


async def test_a_start_that_was_killed_before_it_published_a_manifest_is_made_up_for(room: Room) -> None:
    """The manifest is in the log once, and a table that is opened under it is behind it."""
    table_id, _ = await room.seat_four(kinds=BOTS)
    await room.stop()
    files = key_files(room)
    changed = rotation.rotate(files, files, ORIGIN, {Role.EVENT}, room.clock.ms, entropy=room.octets)
    store = Store(room.store.path, ORIGIN)
    store.append([Batch(KEYS_STREAM, 1, changed.entries[1:])])
    store.close()
    room.keys = house_keys.load(files.directory, ORIGIN)
    room.start()
    other, _ = await room.seat_four(kinds=BOTS)
    for each in (table_id, other):
        await room.finish(each)
    assert room.store.entries_of(KEYS_STREAM, 0, 10) == [*changed.entries]


async def test_keys_that_are_older_than_the_log_are_refused(room: Room) -> None:
    """A copy of the directory that was brought back: the house would forget what it has said of its keys."""
    old = room.keys
    await rotate(room, Role.EVENT)
    await room.stop()
    room.keys = old
    with pytest.raises(KeysDisagree, match="other manifests"):
        room.start()
    room.store.close()
    room.keys = house_keys.load(key_files(room).directory, ORIGIN)
    room.start()


# Without an old key.


async def test_an_old_event_key_may_go_when_its_games_are_over(room: Room) -> None:
    """Its games are read as before, and it is missed by none."""
    table_id, _ = await room.seat_four(kinds=BOTS)
    await room.finish(table_id)
    before = room.table(table_id)
    await rotate(room, Role.EVENT)
    for role in (Role.EVENT, Role.HOUSE):
        (key_files(room).directory / role.file()).unlink()
    await take_up(room)
    after = room.table(table_id)
    assert after._replace(house=before.house) == before
    assert after.house.event_key == before.house.event_key
    assert room.tables.join_code(room.operator, table_id) == ""
    other, _ = await room.seat_four(kinds=BOTS)
    await room.finish(other)


async def test_a_game_that_has_lost_its_key_is_not_gone_on_with(room: Room) -> None:
    """The server says which key, and starts once it is back, or revoked."""
    table_id, _ = await room.seat_four()
    first = room.keys.event.public
    await rotate(room, Role.EVENT)
    await room.stop()
    kept = room.keys
    room.keys = replace(kept, event_keys={kept.event.public: kept.event_keys[kept.event.public]})
    with pytest.raises(EventKeyGone, match=first.hex()):
        room.start()
    await room.writer.close()
    room.store.close()
    files = key_files(room)
    rotation.revoke(files, files, ORIGIN, first, room.clock.ms, entropy=room.octets)
    (files.directory / Role.EVENT.file()).unlink()
    room.keys = house_keys.load(files.directory, ORIGIN)
    room.start()
    await room.settle()
    assert isinstance(room.table(table_id).stage, Over)


# Revoked.


@pytest.mark.parametrize("stage", ["seating", "committing", "revealing", "dealt", "playing"])
async def test_a_game_whose_key_is_revoked_ends_by_the_new_one(room: Room, stage: str) -> None:
    """With the numbers that there are, and where cards were dealt with all five."""
    first = room.keys.event.public
    if stage == "seating":
        table_id = await room.open()
    else:
        table_id, _ = await room.seat_four()
        until = {"committing": committing, "revealing": revealing, "dealt": dealt, "playing": playing}[stage]
        await room.play(table_id, until)
    if stage == "revealing":
        await room.decide(table_id, 2)
    at = room.table(table_id).stage
    await revoke(room, first)
    content = room.last(table_id)
    assert isinstance(content, ServerFault)
    assert content.cause is ServerFaultCause.KEY_REVOKED
    assert signers(room, table_id) == [own_id(first), own_id(room.keys.event.public)]
    assert len(content.numbers) == (5 if isinstance(at, Round) else 0)
    assert bool(content.house_number) == isinstance(at, Ceremony)
    assert [seat for seat, _ in content.received] == ([2] if stage == "revealing" else [])
    assert room.store.sealed(table_id) == {}


async def test_a_card_that_lies_face_down_is_shown_when_the_key_is_revoked(room: Room) -> None:
    """Or the round could not be judged."""
    table_id, lively, seat, card = await led(room)
    await lively.lay(room.holder(table_id, seat), card)
    await revoke(room, room.keys.event.public)
    content = room.last(table_id)
    assert isinstance(content, ServerFault)
    assert [(lay.seat, lay.card) for lay in content.unturned] == [(seat, card)]


async def test_a_game_is_ended_by_the_key_that_the_revoking_manifest_brought(room: Room) -> None:
    """Also where the house has another by now, or that one is revoked as well."""
    table_id, _ = await room.seat_four()
    files, ms = key_files(room), room.clock.ms
    first = room.keys.event.public
    changed = rotation.revoke(files, files, ORIGIN, first, ms, entropy=room.octets)
    second = changed.newest.event_key
    rotation.rotate(files, files, ORIGIN, {Role.EVENT}, ms, entropy=room.octets)
    rotation.revoke(files, files, ORIGIN, second, ms, entropy=room.octets)
    await take_up(room)
    assert signers(room, table_id) == [own_id(first), own_id(second)]
    other, _ = await room.seat_four(kinds=BOTS)
    await room.finish(other)


async def test_a_secret_of_a_revoked_key_is_not_needed_to_show_the_numbers(room: Room) -> None:
    """They were sealed."""
    table_id, _ = await room.seat_four()
    await room.play(table_id, playing)
    first = room.keys.event.public
    files = key_files(room)
    rotation.revoke(files, files, ORIGIN, first, room.clock.ms, entropy=room.octets)
    for role in (Role.EVENT, Role.HOUSE):
        (files.directory / role.file()).unlink()
    await take_up(room)
    content = room.last(table_id)
    assert isinstance(content, ServerFault)
    assert len(content.numbers) == 5


async def test_a_number_that_is_lost_leaves_a_revoked_game_unproven(room: Room, expected_errors: list[str]) -> None:
    """It ends all the same."""
    expected_errors.append("sealed number of table")
    table_id, _ = await room.seat_four()
    await room.play(table_id, playing)
    files = key_files(room)
    rotation.revoke(files, files, ORIGIN, room.keys.event.public, room.clock.ms, entropy=room.octets)
    room.keys = replace(house_keys.load(files.directory, ORIGIN), seal=room.octets())
    await room.restart()
    assert room.last(table_id) == ServerFault(ServerFaultCause.KEY_REVOKED)


# At random.


CHANGES = st.sampled_from(["event", "log", "root", "event log", "revoke newest", "revoke oldest", "drop log", "go on"])


def change_at_random(times: int) -> None:
    """Games go on through all of it, each under one key, or end by its revocation."""

    @settings(max_examples=times, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.lists(CHANGES, min_size=2, max_size=6), st.integers(0, 2**32))
    def changed(changes: list[str], seed: int) -> None:
        with tempfile.TemporaryDirectory() as folder:
            asyncio.run(_change_at_random(Path(folder), changes, seed))

    changed()


def test_whatever_is_changed_every_log_is_right() -> None:
    """A few times."""
    change_at_random(6)


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_whatever_is_changed_every_log_is_right_for_long() -> None:
    """Many times."""
    change_at_random(300)


async def _change_at_random(folder: Path, changes: list[str], seed: int) -> None:
    room = Room(folder, seed)
    try:
        keys_of_games: dict[bytes, bytes] = {}
        for change in changes:
            table_id, _ = await room.seat_four()
            keys_of_games[table_id] = room.keys.event.public
            for running in room.tables.running():
                for _ in range(room.rng.randrange(40)):
                    if not is_over(room.table(running)):
                        await room.step(running)
            await _change(room, change)
        for table_id, key in keys_of_games.items():
            if room.keys.public.revoking(key) is None:
                await room.finish(table_id)
                assert signers(room, table_id) == [own_id(key)]
            assert is_over(room.table(table_id))
        await room.audit()
    finally:
        await room.stop()


async def _change(room: Room, change: str) -> None:
    public = room.keys.public
    match change.split():
        case ["revoke", which]:
            key = public.event_keys[-1 if which == "newest" else 0]
            if public.revoking(key) is None:
                await revoke(room, key)
        case ["drop", "log"]:
            old = [log.vkey.format() for log in public.policy.logs if log.vkey.public_key != public.newest.log_key]
            rotation.change_policy(key_files(room), ORIGIN, [], old, None)
            await take_up(room)
        case ["go", "on"]:
            await room.restart()
        case roles:
            await rotate(room, *map(Role, roles))


def test_the_secret_of_a_house_is_in_no_repr() -> None:
    """Nor in what a failing test prints."""
    secret = bytes(range(32))
    assert repr(secret)[2:-1] not in repr(EventKey(SigningKey(secret), secret))
