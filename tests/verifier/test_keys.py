# SPDX-License-Identifier: Apache-2.0
"""Key manifests: both ways the same, one role for each key, and which of them count for who trusts a root key."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hokm.entry import event_key_id, leaf, parse_entry, sign_event
from hokm.errors import BadManifest, Malformed, NotAnEntry, SharedKey, TooLong
from hokm.keys import KeyManifest, check_manifests, read_manifest, sign_manifest, write_manifest
from hokm.signing import SignatureType, SigningKey, VKey, key_id
from hokm.v1 import keys_pb2
from hokm.wire import KEYS_TYPE
from tests import wire_values

ORIGIN = "hokm.example/log"


def key(name: str) -> SigningKey:
    return SigningKey(hashlib.sha256(name.encode()).digest())


ROOT, SECOND, THIRD = key("root"), key("second root"), key("third root")
TRUSTED = VKey(ORIGIN + "/root", SignatureType.ED25519, ROOT.public)
EVENT, LOG, BOT = key("event").public, key("log").public, key("bot").public


def named(root: SigningKey) -> bytes:
    return hashlib.sha256(root.public).digest()


FIRST = KeyManifest(0, bytes(32), 1000, ORIGIN, EVENT, LOG, (BOT,), named(SECOND), ())


def after(entry: bytes, manifest: KeyManifest, **changes: Any) -> KeyManifest:
    """The manifest that follows, with these changes."""
    return replace(manifest, version=manifest.version + 1, previous=leaf(entry), **changes)


def chained(*steps: tuple[SigningKey, dict[str, Any]]) -> list[bytes]:
    """Entries one after the other, each with its signer and what it changes."""
    signer, changes = steps[0]
    manifest = replace(FIRST, **changes)
    entries = [sign_manifest(manifest, signer)]
    for signer, changes in steps[1:]:
        manifest = after(entries[-1], manifest, **changes)
        entries.append(sign_manifest(manifest, signer))
    return entries


# Bytes.


@given(wire_values.manifests())
def test_a_manifest_is_read_as_it_was_written(manifest: KeyManifest) -> None:
    """Values and bytes come back."""
    body = write_manifest(manifest)
    assert read_manifest(body) == manifest
    assert write_manifest(read_manifest(body)) == body


BAD: list[tuple[dict[str, Any], str, str]] = [
    ({"table": bytes(15)}, "BAD_MANIFEST", "its table is not 16 zero bytes"),
    ({"table": bytes(15) + b"\1"}, "BAD_MANIFEST", "its table is not 16 zero bytes"),
    ({"previous": bytes(31)}, "WRONG_LENGTH", "previous"),
    ({"version": 0, "previous": EVENT}, "BAD_MANIFEST", "it is the first, and names one before it"),
    ({"origin": ""}, "MISSING", "origin"),
    ({"origin": "a b"}, "NOT_AN_ORIGIN", "a b"),
    ({"origin": "a+b"}, "NOT_AN_ORIGIN", "a+b"),
    ({"origin": "é"}, "NOT_AN_ORIGIN", "é"),
    ({"origin": "x" * 256}, "NOT_AN_ORIGIN", "x" * 256),
    ({"event_key": EVENT[:31]}, "WRONG_LENGTH", "event_key"),
    ({"log_key": b""}, "WRONG_LENGTH", "log_key"),
    ({"operator_keys": [BOT, BOT[:31]]}, "WRONG_LENGTH", "operator_keys[1]"),
    ({"next_root_hash": b""}, "WRONG_LENGTH", "next_root_hash"),
    ({"revoked_keys": [b""]}, "WRONG_LENGTH", "revoked_keys[0]"),
    ({"log_key": EVENT}, "SHARED_KEY", "log key"),
    ({"operator_keys": [LOG]}, "SHARED_KEY", "operator key"),
    ({"operator_keys": [BOT, BOT]}, "SHARED_KEY", "operator key"),
    ({"revoked_keys": [EVENT]}, "SHARED_KEY", "revoked event key"),
    ({"next_root_hash": hashlib.sha256(BOT).digest()}, "SHARED_KEY", "next root key"),
]


@pytest.mark.parametrize(("change", "reason", "fact"), BAD)
def test_a_malformed_manifest_is_refused(change: dict[str, Any], reason: str, fact: str) -> None:
    """One field is wrong, and the error names it."""
    good: dict[str, Any] = {
        "table": bytes(16),
        "version": 1,
        "previous": bytes(32),
        "time_ms": 1,
        "origin": ORIGIN,
        "event_key": EVENT,
        "log_key": LOG,
        "operator_keys": [BOT],
        "next_root_hash": named(SECOND),
    }
    read_manifest(keys_pb2.KeyManifest(**good).SerializeToString())
    with pytest.raises(Malformed) as caught:
        read_manifest(keys_pb2.KeyManifest(**{**good, **change}).SerializeToString())
    assert caught.value.reason == reason
    assert fact in caught.value.facts.values()


def test_a_manifest_of_too_many_keys_is_not_written() -> None:
    """The limit of an entry is its limit."""
    keys = tuple(number.to_bytes(32, "big") for number in range(475))
    assert len(write_manifest(replace(FIRST, operator_keys=keys))) <= 16384
    with pytest.raises(TooLong):
        write_manifest(replace(FIRST, operator_keys=tuple(number.to_bytes(32, "big") for number in range(480))))


@given(st.data())
def test_any_and_mangled_bytes_are_read_as_they_are_or_malformed(data: st.DataObject) -> None:
    """Nothing but Malformed comes out."""
    body = data.draw(st.binary(max_size=120) | wire_values.manifests().map(write_manifest))
    start = data.draw(st.integers(0, len(body)))
    body = body[:start] + data.draw(st.binary(max_size=2)) + body[start + data.draw(st.integers(0, 2)) :]
    try:
        manifest = read_manifest(body)
    except Malformed:
        return
    assert write_manifest(manifest) == body


# The chain.


def test_the_first_manifest_counts() -> None:
    """Signed by the trusted root, framed like any entry, with the root's own hint."""
    octets = sign_manifest(FIRST, ROOT)
    assert parse_entry(octets).key_id == TRUSTED.key_id
    assert check_manifests([octets], TRUSTED) == (FIRST,)
    assert FIRST.event_key_id == event_key_id(ORIGIN, EVENT)
    assert check_manifests([], TRUSTED) == ()


def test_the_trusted_root_may_sign_all_its_life() -> None:
    """One after the other, with gaps, and from the middle."""
    entries = chained((ROOT, {}), (ROOT, {"event_key": key("event 2").public}), (ROOT, {}), (ROOT, {}))
    assert [found.version for found in check_manifests(entries, TRUSTED)] == [0, 1, 2, 3]
    assert [found.version for found in check_manifests(entries[1:], TRUSTED)] == [1, 2, 3]
    assert [found.version for found in check_manifests(entries[::3], TRUSTED)] == [0, 3]


def test_a_later_root_counts_where_the_chain_names_it() -> None:
    """Twice over, the keys given in whatever order."""
    entries = chained((ROOT, {}), (SECOND, {"next_root_hash": named(THIRD)}), (SECOND, {}), (THIRD, {}))
    found = check_manifests(entries, TRUSTED, [THIRD.public, SECOND.public])
    assert [manifest.version for manifest in found] == [0, 1, 2, 3]


def test_a_later_root_does_not_count_otherwise() -> None:
    """Its key is not shown, its hash not named, a manifest between lacks, or the chain does not begin here."""
    entries = chained((ROOT, {}), (ROOT, {}), (SECOND, {"next_root_hash": named(THIRD)}), (THIRD, {}))
    later = [SECOND.public, THIRD.public]
    assert len(check_manifests(entries, TRUSTED, later)) == 4
    for some, roots in (
        (entries, []),
        (entries, [THIRD.public]),
        (entries[2:], later),
        ([entries[0], entries[2]], later),
        (entries[:2] + entries[3:], later),
        (chained((ROOT, {"next_root_hash": named(THIRD)}), (SECOND, {})), later),
    ):
        with pytest.raises(BadManifest, match="not signed by a root key that counts"):
            check_manifests(some, TRUSTED, roots)


def test_a_root_that_has_handed_over_counts_no_more() -> None:
    """Neither right behind its successor nor behind a gap; and its successor not behind a gap."""
    handed = [(ROOT, {}), (SECOND, {"next_root_hash": named(THIRD)})]
    for steps in ([*handed, (ROOT, {})], [*handed, (SECOND, {}), (ROOT, {})], [*handed, (SECOND, {}), (SECOND, {})]):
        entries = chained(*steps)
        if len(entries) == 4:
            del entries[2]
        with pytest.raises(BadManifest, match="not signed by a root key that counts"):
            check_manifests(entries, TRUSTED, [SECOND.public])


def test_an_event_key_may_be_revoked_and_not_come_back() -> None:
    """Revoked is the end of a key."""
    new = key("event 2").public
    entries = chained((ROOT, {}), (ROOT, {"event_key": new, "revoked_keys": (EVENT,)}))
    assert check_manifests(entries, TRUSTED)[1].revoked_keys == (EVENT,)
    entries = chained((ROOT, {}), (ROOT, {"event_key": new, "revoked_keys": (EVENT,)}), (ROOT, {"revoked_keys": ()}))
    assert len(check_manifests(entries, TRUSTED)) == 3
    entries.append(sign_manifest(after(entries[-1], replace(FIRST, version=2)), ROOT))
    with pytest.raises(SharedKey, match="revoked event key and event key"):
        check_manifests(entries, TRUSTED)


@pytest.mark.parametrize(
    "changes",
    [
        {"event_key": ROOT.public},
        {"operator_keys": (ROOT.public,)},
        {"event_key": LOG, "log_key": key("log 2").public},
        {"log_key": BOT, "operator_keys": ()},
        {"revoked_keys": (key("log 0").public,)},
    ],
)
def test_a_key_has_one_role_in_all_manifests(changes: dict[str, Any]) -> None:
    """The root's too."""
    entries = chained((ROOT, {"log_key": key("log 0").public}), (ROOT, {"log_key": LOG}), (ROOT, changes))
    check_manifests(entries[:2], TRUSTED)
    with pytest.raises(SharedKey):
        check_manifests(entries, TRUSTED)


def test_manifests_follow_from_one_another() -> None:
    """By version, previous, time and origin."""
    first = sign_manifest(FIRST, ROOT)
    second = after(first, FIRST)
    for wrong, what in (
        (replace(second, previous=EVENT), "another manifest before it"),
        (replace(second, time_ms=999), "its time is before"),
        (replace(second, origin="hokm.example/other"), "it is of the log hokm.example/other"),
        (replace(second, version=0, previous=bytes(32)), "it stands behind version 0"),
    ):
        with pytest.raises(BadManifest, match=what):
            check_manifests([first, sign_manifest(wrong, ROOT)], TRUSTED)
    with pytest.raises(BadManifest, match="it stands behind version 1"):
        check_manifests([sign_manifest(second, ROOT), first], TRUSTED)


def test_a_manifest_is_signed_as_a_manifest_under_the_name_of_the_root() -> None:
    """Another type, another name's hint, one bit of the signature: it does not count."""
    body = write_manifest(FIRST)
    hint = TRUSTED.key_id
    good = sign_event(body, ROOT, hint, KEYS_TYPE)
    assert good == sign_manifest(FIRST, ROOT)
    for bad in (
        sign_event(body, ROOT, hint),
        sign_event(body, ROOT, key_id(ORIGIN, SignatureType.ED25519, ROOT.public), KEYS_TYPE),
        good[:-1] + bytes([good[-1] ^ 1]),
    ):
        with pytest.raises(BadManifest):
            check_manifests([bad], TRUSTED)
    with pytest.raises(NotAnEntry):
        check_manifests([good + b"\0"], TRUSTED)
