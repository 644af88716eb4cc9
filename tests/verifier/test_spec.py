# SPDX-License-Identifier: Apache-2.0
"""SPEC.md says what the code does: its worked examples are computed again from its own text, and its names are those
of the messages, calls, reasons and codes that there are, none too few and none too many."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest
from google.protobuf.descriptor import Descriptor, EnumDescriptor, FileDescriptor

from hokm import proof, wire
from hokm.checkpoint import Checkpoint, sign_checkpoint, verify_checkpoint
from hokm.deal import (
    Context,
    Purpose,
    commit_set,
    commitment,
    early_commitment,
    game_id,
    house_number,
    packets_of,
    prk,
    rules_hash,
    shuffle,
    stream,
)
from hokm.entry import event_key_id, leaf, sign_event, sign_move
from hokm.errors import HokmError, is_shared, reason_of
from hokm.events import Event, Join, Move, SeatKind, SignedMove, TableOpened
from hokm.hand import HandNote, sign_hand, write_hand
from hokm.keys import KeyManifest, check_manifests, sign_manifest, write_manifest
from hokm.merkle import check_consistency, check_inclusion, consistency_proof, grow, inclusion_proof, reading, root
from hokm.note import Note
from hokm.rules import CLASSIC, FirstHakem, Packets, Turned, first_hakem
from hokm.sign_in import SIGN_IN_TYPE, signed_challenge
from hokm.signing import SignatureType, SigningKey, VKey, pae
from hokm.v1 import (
    event_pb2,
    hand_pb2,
    keys_pb2,
    log_service_pb2,
    move_pb2,
    rules_pb2,
    sign_in_service_pb2,
    tables_service_pb2,
)
from hokm.verify.codes import _STEPS, Code
from hokm.verify.report import Verdict
from hokm.wire import EVENT_TYPE, HAND_TYPE, KEYS_TYPE, MOVE_TYPE, write_event, write_move, write_rules

SPEC = (Path(__file__).resolve().parents[2] / "verifier" / "SPEC.md").read_text()

FENCES = dict(re.findall(r"^```text (\S+)\n(.*?)\n```$", SPEC, re.MULTILINE | re.DOTALL))
"""The worked examples by name."""

SIGNED: tuple[FileDescriptor, ...] = (
    move_pb2.DESCRIPTOR,
    event_pb2.DESCRIPTOR,
    hand_pb2.DESCRIPTOR,
    keys_pb2.DESCRIPTOR,
    rules_pb2.DESCRIPTOR,
)
SERVICES: tuple[FileDescriptor, ...] = (
    sign_in_service_pb2.DESCRIPTOR,
    tables_service_pb2.DESCRIPTOR,
    log_service_pb2.DESCRIPTOR,
)


def example(name: str) -> dict[str, str]:
    """The lines of one example; a line that begins with a space goes on with the value above it."""
    values: dict[str, str] = {}
    last = ""
    for line in FENCES[name].splitlines():
        if line.startswith(" "):
            values[last] += " " + line.strip()
        else:
            last, value = line.split(maxsplit=1)
            values[last] = value
    return values


def octets(text: str) -> bytes:
    """Hex, in which white space means nothing."""
    return bytes.fromhex(text)


def numbers(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split()))


KEYS = example("keys")
GAME = example("game")
ORIGIN = GAME["origin"]
EVENT_KEY = SigningKey(octets(KEYS["event_seed"]))
LOG_KEY = SigningKey(octets(KEYS["log_seed"]))
ROOT_KEY = SigningKey(octets(KEYS["root_seed"]))


# The worked examples.


def test_the_keys_and_their_manifest_are_computed_from_the_seeds() -> None:
    root_vkey = VKey(ORIGIN + "/root", SignatureType.ED25519, ROOT_KEY.public)
    manifest = KeyManifest(
        version=0,
        previous=bytes(32),
        time_ms=1_700_000_000_000,
        origin=ORIGIN,
        event_key=EVENT_KEY.public,
        log_key=LOG_KEY.public,
        operator_keys=(SigningKey(octets(KEYS["operator_seed"])).public,),
        next_root_hash=hashlib.sha256(SigningKey(octets(KEYS["next_root_seed"])).public).digest(),
        revoked_keys=(),
    )
    entry = sign_manifest(manifest, ROOT_KEY)
    assert octets(KEYS["event_key"]) == EVENT_KEY.public
    assert octets(KEYS["event_key_id"]) == event_key_id(ORIGIN, EVENT_KEY.public)
    assert KEYS["log_vkey"] == VKey(ORIGIN, SignatureType.ED25519, LOG_KEY.public).format()
    assert KEYS["root_vkey"] == root_vkey.format()
    assert octets(KEYS["manifest"]) == write_manifest(manifest)
    assert octets(KEYS["entry"]) == entry
    assert octets(KEYS["leaf"]) == leaf(entry)
    assert check_manifests([entry], root_vkey) == (manifest,)


def test_the_rules_are_those_of_the_classic_preset() -> None:
    rules = example("rules")
    assert octets(rules["rules"]) == write_rules(CLASSIC)
    assert octets(rules["rules_hash"]) == rules_hash(write_rules(CLASSIC))


def test_the_first_entry_of_a_table_is_computed() -> None:
    opened = example("opened")
    content = TableOpened(
        octets(opened["server_nonce"]), CLASSIC, octets(example("rules")["rules"]), octets(KEYS["leaf"]), b""
    )
    event = write_event(Event(octets(opened["table"]), 0, bytes(32), 1_700_000_000_000, content))
    entry = sign_event(event, EVENT_KEY, octets(KEYS["event_key_id"]))
    assert octets(opened["event"]) == event
    assert octets(opened["entry"]) == entry
    assert octets(opened["leaf"]) == leaf(entry)


def test_the_join_is_computed() -> None:
    opened, joined = example("opened"), example("join")
    key = SigningKey(octets(joined["seed"]))
    act = Join(SeatKind.PERSON, octets(joined["public_key"]), octets(joined["join_nonce"]))
    move = Move(bytes(32), 0, 0, 0, 0, 0, octets(opened["leaf"]), None, act)
    body = write_move(move)
    signature = sign_move(body, key)
    event = write_event(
        Event(
            octets(opened["table"]),
            1,
            octets(opened["leaf"]),
            1_700_000_001_000,
            SignedMove(move, body, signature),
        )
    )
    assert octets(joined["public_key"]) == key.public
    assert octets(joined["move"]) == body
    assert pae(MOVE_TYPE, body).startswith(octets(joined["pae_begins"]))
    assert octets(joined["signature"]) == signature
    assert octets(joined["event"]) == event
    assert octets(joined["leaf"]) == leaf(sign_event(event, EVENT_KEY, octets(KEYS["event_key_id"])))


def test_the_sign_in_is_computed() -> None:
    said = example("sign-in")
    key = SigningKey(octets(said["seed"]))
    signed = signed_challenge(ORIGIN, octets(said["challenge"]))
    assert octets(said["signed"]) == signed
    assert octets(said["signature"]) == key.sign(signed)


def test_the_tree_and_the_checkpoint_are_computed() -> None:
    tree = example("tree")
    leaves = [octets(tree[f"leaf_{place}"]) for place in range(3)]
    assert leaves == [octets(KEYS["leaf"]), octets(example("opened")["leaf"]), octets(example("join")["leaf"])]
    read = reading(grow(0, leaves, reading({})))
    inclusion, consistency = inclusion_proof(1, 3, read), consistency_proof(1, 3, read)
    assert octets(tree["root"]) == root(leaves)
    assert hashes(tree["inclusion_1"]) == inclusion
    assert hashes(tree["consistency_1"]) == consistency
    assert check_inclusion(leaves[1], 1, 3, inclusion, root(leaves))
    assert check_consistency(1, leaves[0], 3, root(leaves), consistency)
    note = (FENCES["checkpoint"] + "\n").encode()
    assert note == sign_checkpoint(Checkpoint(ORIGIN, 3, root(leaves)), LOG_KEY).format()
    assert verify_checkpoint(Note.parse(note), [VKey.parse(KEYS["log_vkey"])]).size == 3


def hashes(text: str) -> list[bytes]:
    whole = octets(text)
    return [whole[place : place + 32] for place in range(0, len(whole), 32)]


def seats(name: str) -> list[bytes]:
    return [octets(GAME[f"{name}_{seat}"]) for seat in range(4)]


def test_the_game_id_is_computed() -> None:
    assert [SigningKey(seed).public for seed in seats("seed")] == seats("key")
    made = game_id(ORIGIN, octets(GAME["server_nonce"]), numbers(GAME["kinds"]), seats("key"), seats("join_nonce"))
    assert octets(GAME["game_id"]) == made
    assert GAME["event_key"] == KEYS["event_key"]


def bytes_of_ceremony(said: dict[str, str], purpose: Purpose, round_: int) -> Iterator[int]:
    """The stream of a ceremony of the game; everything before it is compared."""
    ctx = Context(octets(GAME["game_id"]), purpose, round_, 0).to_bytes()
    five = [octets(said[f"r_{seat}"]) for seat in range(5)]
    keys = [*seats("key"), octets(GAME["event_key"])]
    committed = [commitment(ctx, seat, keys[seat], five[seat]) for seat in range(5)]
    closed = commit_set(ctx, committed)
    key = prk(closed, five)
    assert octets(said["ctx"]) == ctx
    assert five[4] == house_number(octets(GAME["house_secret"]), ctx)
    assert [octets(said[f"commit_{seat}"]) for seat in range(5)] == committed
    assert octets(said["commit_set"]) == closed
    assert octets(said["prk"]) == key
    assert octets(said["stream"]) == bytes(islice(stream(key, purpose), 64))
    return iter(stream(key, purpose))


def rejected(said: dict[str, str]) -> tuple[tuple[int, int], ...]:
    return tuple((int(n), int(octet)) for n, octet in (pair.split(":") for pair in said["rejected"].split()))


def turned(text: str) -> Turned:
    return tuple((int(seat), int(card)) for seat, card in (pair.split(":") for pair in text.split()))


def test_the_draw_is_computed() -> None:
    said = example("draw")
    source = bytes_of_ceremony(said, Purpose.DRAW, 0)
    start = next(source) & 3
    shuffled = shuffle(source)
    assert int(said["start"]) == start
    assert rejected(said) == shuffled.rejected
    assert int(said["bytes_used"]) == shuffled.used + 1
    assert numbers(said["deck"]) == shuffled.deck
    assert (int(said["hakem"]), turned(said["turned"])) == first_hakem(FirstHakem.FIRST_ACE, shuffled.deck, start)
    high = first_hakem(FirstHakem.HIGH_CARD, shuffled.deck, start)
    assert (int(said["high_card_hakem"]), turned(said["high_card"])) == high


def dealt_packets(said: dict[str, str]) -> list[tuple[tuple[int, ...], ...]]:
    """By seat, the three packets as the text gives them."""
    return [tuple(map(numbers, said[f"seat_{seat}"].split(" | "))) for seat in range(4)]


def test_the_deal_is_computed() -> None:
    said = example("deal")
    shuffled = shuffle(bytes_of_ceremony(said, Purpose.DEAL, 1))
    assert rejected(said) == shuffled.rejected
    assert int(said["bytes_used"]) == shuffled.used
    assert numbers(said["deck"]) == shuffled.deck
    assert said["hakem"] == example("draw")["hakem"]
    packets = packets_of(shuffled.deck, int(said["hakem"]), Packets.FIVE_FOUR_FOUR)
    assert dealt_packets(said) == [tuple(packet[seat] for packet in packets) for seat in range(4)]


def test_the_hand_note_is_computed() -> None:
    said, deal = example("hand"), example("deal")
    hakem, packet = int(deal["hakem"]), int(said["packet"])
    cards = dealt_packets(deal)[hakem][packet - 1]
    note = write_hand(HandNote(octets(deal["ctx"]), hakem, packet, cards, int(said["version"]), octets(said["leaf"])))
    assert octets(said["note"]) == note
    assert octets(said["signature"]) == sign_hand(note, EVENT_KEY)


def test_the_early_card_is_computed() -> None:
    said = example("early")
    ctx = octets(example("deal")["ctx"])
    made = early_commitment(ctx, int(said["trick"]), int(said["seat"]), int(said["card"]), octets(said["salt"]))
    assert octets(said["commitment"]) == made


def test_every_example_is_computed_here() -> None:
    computed = {
        *("keys", "rules", "opened", "join", "sign-in", "tree", "checkpoint"),
        *("game", "draw", "deal", "hand", "early"),
    }
    assert set(FENCES) == computed
    assert SPEC.count("```text ") == len(FENCES)


# The names.

PROSE = re.sub(r"^```.*?^```$", "", SPEC, flags=re.MULTILINE | re.DOTALL)

WORDS = set(re.findall(r"\w+", PROSE))


def messages(files: tuple[FileDescriptor, ...]) -> list[Descriptor]:
    return [message for file in files for message in file.message_types_by_name.values()]


def enums() -> list[EnumDescriptor]:
    return [enum for file in (*SIGNED, *SERVICES) for enum in file.enum_types_by_name.values()]


def short_values(enum: EnumDescriptor) -> list[str]:
    """The values of an enum without their prefix, and without the one that is not allowed."""
    prefix = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", enum.name).upper() + "_"
    return [value.name.removeprefix(prefix) for value in enum.values if value.number]


def calls() -> set[str]:
    return {method.name for file in SERVICES for one in file.services_by_name.values() for method in one.methods}


def test_every_message_that_is_signed_is_named() -> None:
    assert {message.name for message in messages(SIGNED)} <= WORDS


def test_every_call_is_named() -> None:
    assert calls() | {one for file in SERVICES for one in file.services_by_name} <= WORDS


@pytest.mark.parametrize(
    "enum",
    [
        *("StandInCause", "VoidCause", "ServerFaultCause", "GameEndCause", "ProtestReason"),
        *("FirstHakem", "Packets", "HakemPasses"),
    ],
)
def test_every_cause_and_option_is_named(enum: str) -> None:
    found = next(one for one in enums() if one.name == enum)
    assert set(short_values(found)) <= WORDS


def test_every_rule_of_a_table_is_named() -> None:
    assert set(rules_pb2.TableRules.DESCRIPTOR.fields_by_name) <= WORDS


def test_names_that_look_like_messages_are_messages_or_calls() -> None:
    named = set(re.findall(r"\b[A-Z][a-z]+(?:[A-Z][a-z]+)+\b", PROSE))
    known = {message.name for message in messages((*SIGNED, *SERVICES))} | calls()
    known |= {one for file in SERVICES for one in file.services_by_name}
    known |= {kind.__name__ for kind in HokmError.__subclasses__()}
    others = {"WebCrypto", "ErrorInfo"}
    assert named - known - others == set()


def test_names_in_capitals_are_reasons_codes_or_values() -> None:
    named = set(re.findall(r"\b[A-Z]+(?:_[A-Z]+)+\b", PROSE))
    values = {value for enum in enums() for value in short_values(enum)}
    whole = {value.name for enum in enums() for value in enum.values}
    grpc = {"INVALID_ARGUMENT", "FAILED_PRECONDITION", "NOT_FOUND", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED"}
    assert named - REASONS.keys() - {code.name for code in Code} - values - whole - grpc == set()


def test_the_types_that_are_signed_are_those_of_the_code() -> None:
    named = set(re.findall(r"application/vnd\.hokm\.[\w.+-]*\w", SPEC))
    assert named == {MOVE_TYPE, EVENT_TYPE, HAND_TYPE, KEYS_TYPE, SIGN_IN_TYPE}
    assert f"{wire.MOST_MOVE_BYTES:,} bytes" in SPEC
    assert f"{wire.MOST_EVENT_BYTES:,}" in SPEC


# Reasons and codes.


def leaves_of(kind: type[HokmError]) -> Iterator[type[HokmError]]:
    for below in kind.__subclasses__():
        if is_shared(below):
            yield below


REASONS = {reason_of(one): one for kind in HokmError.__subclasses__() for one in leaves_of(kind)}


def rows(header: str) -> list[list[str]]:
    """The cells of every table that has this header line."""
    found = []
    for table in re.findall(re.escape(header) + r"\n\|[-|]+\|\n((?:\|.*\n)+)", SPEC):
        found += [[cell.strip() for cell in line.strip("|").split(" | ")] for line in table.splitlines()]
    return found


def test_the_reasons_are_those_of_the_tree_of_errors_with_their_facts() -> None:
    table = {row[0].strip("`"): row[2].strip() if len(row) > 2 else "" for row in REASON_ROWS}
    facts = {reason: ", ".join(kind.fields) for reason, kind in REASONS.items()}
    assert len(table) == len(REASON_ROWS)
    assert table == facts


REASON_ROWS = rows("| reason | what stands against it | facts |")


def test_the_codes_are_those_of_the_verification_with_their_steps() -> None:
    said = set()
    for step, code, _ in rows("| step | code | meaning |"):
        name, _, mark = code.partition(" ")
        said.add((int(step), name.strip("`"), mark == "(warning)"))
    warnings = {code for code in Code if is_warning(code)}
    assert said == {(int(code.step), code.name, code in warnings) for code in Code}


def is_warning(code: Code) -> bool:
    """Codes stand in two groups, those that refuse first; the first warning is NO_QUORUM."""
    order = [*Code]
    return order.index(code) >= order.index(Code.NO_QUORUM)


def test_the_steps_of_reasons_are_those_of_the_verification() -> None:
    said = {(int(step), reason.strip("` ")) for step, codes in rows("| step | codes |") for reason in codes.split(",")}
    assert said == {(int(step), reason_of(kind)) for kind, step in _STEPS.items()}


def test_the_verdicts_are_those_of_the_verification() -> None:
    table = [line for line in SPEC.splitlines() if line.startswith("|")]
    assert all(any(line.startswith(f"| {verdict.value} |") for line in table) for verdict in Verdict)


def test_the_keys_of_a_proof_are_those_that_are_read() -> None:
    section = SPEC[SPEC.index("### 10.1") : SPEC.index("### 10.2")]
    assert set(re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)) == set(proof._FIELDS)
    assert f"{proof.MOST_ROUND_BYTES:,} bytes" in section
    assert proof.FORMAT in section


# The text.


def test_lines_are_short_and_links_lead_somewhere() -> None:
    prose = [line for line in SPEC.splitlines() if not line.startswith("|")]
    assert max(map(len, prose)) <= 120
    titles = re.findall(r"^#+ (.*)", SPEC, re.MULTILINE)
    places = {re.sub(r"[^\w -]", "", title).lower().replace(" ", "-") for title in titles}
    assert set(re.findall(r"\]\(#([\w-]+)\)", SPEC)) <= places
