# SPDX-License-Identifier: Apache-2.0
"""Of all spellings of a message one is read, by the word of a walker that shares no code with protobuf."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message
from hypothesis import given
from hypothesis import strategies as st

from hokm.canonical import read_message
from hokm.errors import HokmError, NotCanonical, NotUnderstood, TooLong
from hokm.hand import write_hand
from hokm.keys import write_manifest
from hokm.v1 import event_pb2, hand_pb2, keys_pb2, move_pb2, rules_pb2
from hokm.wire import write_event, write_move, write_rules
from tests import wire_values
from tests.wire_walker import fault_of, respellings

Spelled = tuple[type[Message], bytes]

SPELLED: dict[str, st.SearchStrategy[Spelled]] = {
    "move": wire_values.moves().map(lambda move: (move_pb2.Move, write_move(move))),
    "event": wire_values.events().map(lambda event: (event_pb2.Event, write_event(event))),
    "rules": wire_values.table_rules().map(lambda rules: (rules_pb2.TableRules, write_rules(rules))),
    "hand": wire_values.hand_notes().map(lambda note: (hand_pb2.HandNote, write_hand(note))),
    "keys": wire_values.manifests().map(lambda manifest: (keys_pb2.KeyManifest, write_manifest(manifest))),
}
ANY = st.one_of(*SPELLED.values())
SIGNED = [event_pb2.Event, move_pb2.Move, rules_pb2.TableRules, hand_pb2.HandNote, keys_pb2.KeyManifest]


def is_read(kind: type[Message], body: bytes) -> bool:
    try:
        read_message(kind, body, 10**6, "message")
    except (NotCanonical, NotUnderstood):
        return False
    return True


@given(ANY)
def test_what_is_written_is_canonical(spelled: Spelled) -> None:
    """The walker finds no fault with it, it is read, and protobuf's own deterministic spelling is the same."""
    kind, body = spelled
    assert fault_of(kind.DESCRIPTOR, body) is None
    assert read_message(kind, body, len(body), "message").SerializeToString(deterministic=True) == body


@pytest.mark.parametrize("what", SPELLED)
@given(st.data())
def test_every_other_spelling_is_refused(what: str, data: st.DataObject) -> None:
    """Each fault in each place, nested or not, is found by the walker and refused here."""
    kind, body = data.draw(SPELLED[what])
    for fault, spelled in respellings(kind.DESCRIPTOR, body):
        assert spelled != body
        assert fault_of(kind.DESCRIPTOR, spelled) is not None, fault
        assert not is_read(kind, spelled), fault


def test_every_fault_is_met() -> None:
    """The respellings of a few messages have all the faults that there are."""
    met = set()
    move = move_pb2.Move(round=1, seat=2, play=move_pb2.Play(card=17))
    run = move_pb2.Move(run=move_pb2.Run(cards=[12, 11]))
    lay = move_pb2.Move(lay_early=move_pb2.LayEarly(open_middle=True))
    for message in (move, run, lay, event_pb2.CommitSetWitnessed(checkpoint="x", inclusion=[b"a", b"b"])):
        body = message.SerializeToString()
        met |= {fault.partition(" in ")[0] for fault, _ in respellings(message.DESCRIPTOR, body)}
    assert met == {
        *("unknown field", "unknown field first", "group", "group without end", "end of a group", "field 0"),
        *("trailing bytes", "overlong tag", "wire type", "tag past 32 bits", "overlong varint", "overlong length"),
        *("past the field's bits", "cut off", "twice", "unpacked", "packed", "not UTF-8", "order", "default"),
        "two of one oneof",
    }


@given(ANY, st.data())
def test_mangled_bytes_are_read_where_the_walker_finds_no_fault(spelled: Spelled, data: st.DataObject) -> None:
    """After a change anywhere, protobuf and the walker are of one mind."""
    kind, body = spelled
    start = data.draw(st.integers(0, len(body)))
    cut = data.draw(st.integers(0, 3))
    mangled = body[:start] + data.draw(st.binary(max_size=3)) + body[start + cut :]
    assert is_read(kind, mangled) == (fault_of(kind.DESCRIPTOR, mangled) is None)


@pytest.mark.parametrize("kind", SIGNED)
@given(body=st.binary(max_size=40))
def test_any_bytes_are_read_where_the_walker_finds_no_fault(kind: type[Message], body: bytes) -> None:
    """The same for bytes out of nowhere."""
    assert is_read(kind, body) == (fault_of(kind.DESCRIPTOR, body) is None)


@pytest.mark.parametrize(
    ("body", "error"),
    [
        (b"\x0a", NotCanonical),  # cut off
        (b"\x10\x80\x00", NotCanonical),  # round 0, two bytes long
        (b"\x18\x01\x10\x01", NotCanonical),  # attempt before round
        (b"\x0f", NotCanonical),  # no wire type
        (b"\xd2\x01\x00", NotUnderstood),  # field 26
        (b"\x4a\x04\x08\x11\x10\x01", NotUnderstood),  # Play with a field 2
        (b"\x10\x80\x00\xd2\x01\x00", NotUnderstood),  # both: a later version may know better
    ],
)
def test_what_may_mean_something_later_is_set_apart(body: bytes, error: type[HokmError]) -> None:
    """An unknown field is NotUnderstood; a known one spelled otherwise, and what is no protobuf, NotCanonical."""
    with pytest.raises(error):
        read_message(move_pb2.Move, body, 100, "move")


def test_length_comes_first() -> None:
    """Too many bytes are refused whatever they are, and as many as may be are read."""
    body = move_pb2.Move(game_id=bytes(50)).SerializeToString()
    read_message(move_pb2.Move, body, len(body), "move")
    with pytest.raises(TooLong) as caught:
        read_message(move_pb2.Move, body + b"\xff", len(body), "move")
    assert caught.value.facts == {"name": "move", "length": "53", "most": "52"}


def messages_in(kind: Descriptor) -> Iterator[Descriptor]:
    yield kind
    for field in kind.fields:
        if field.message_type is not None:
            yield from messages_in(field.message_type)


@pytest.mark.parametrize("kind", SIGNED)
def test_signed_messages_have_only_fields_with_one_spelling(kind: Any) -> None:
    """No map, no float, no group, no signed number, anywhere below a message that is signed."""
    allowed = {
        FieldDescriptor.TYPE_UINT32,
        FieldDescriptor.TYPE_UINT64,
        FieldDescriptor.TYPE_BOOL,
        FieldDescriptor.TYPE_ENUM,
        FieldDescriptor.TYPE_BYTES,
        FieldDescriptor.TYPE_STRING,
        FieldDescriptor.TYPE_MESSAGE,
    }
    for message in messages_in(kind.DESCRIPTOR):
        assert not message.GetOptions().map_entry
        assert {field.type for field in message.fields} <= allowed
