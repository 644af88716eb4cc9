# SPDX-License-Identifier: Apache-2.0
"""Strict Ed25519 by either library, what is signed, and the names of keys."""

from __future__ import annotations

import base64
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hokm import signing
from hokm.errors import BadVKey, WrongLength
from hokm.signing import Equation, SignatureType, SigningKey, VKey, key_id, pae, verify
from tests import vector_files

EQUATIONS = [pytest.param(signing.equation_of_cryptography, id="cryptography")]
PAIRS = [signing.pair_of_cryptography]
if signing.BACKEND == "PyNaCl":
    EQUATIONS.append(pytest.param(signing.equation_of_nacl, id="PyNaCl"))
    PAIRS.append(signing.pair_of_nacl)
either = pytest.mark.parametrize("equation", EQUATIONS)

PRIME = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493

names = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zs", "Zl", "Zp"], exclude_characters="+"), min_size=1)
keys = st.binary(min_size=32, max_size=32)
vkeys = st.builds(VKey, names, st.sampled_from(SignatureType), keys)


# Signatures.


@either
def test_the_edge_cases_of_cctv(equation: Equation) -> None:
    """Of 914 edge cases, accepted are those 43 whose only flags say that A or R has a small-order part."""
    name = "public/ed25519/cctv_ed25519vectors.json"
    cases = vector_files.document(name)
    accepted = 0
    for case in cases:
        key, signature = bytes.fromhex(case["key"]), bytes.fromhex(case["sig"])
        expected = set(case["flags"] or ()) <= {"low_order_component_A", "low_order_component_R"}
        assert verify(key, case["msg"].encode(), signature, equation) is expected, case["number"]
        accepted += expected
    assert (len(cases), accepted) == (914, 43) or not vector_files.is_ours(name)


@either
def test_the_authors_own_vectors(equation: Equation) -> None:
    """Signing gives the published signatures, and these verify, but not over another message."""
    name = "public/ed25519/sign.input.first128.txt"
    lines = vector_files.text(name).split()
    assert len(lines) == 128 or not vector_files.is_ours(name)
    for line in lines:
        secret, public, message, signed = (bytes.fromhex(part) for part in line.split(":")[:4])
        key = SigningKey(secret[:32])
        assert key.public == public
        assert key.sign(message) + message == signed
        assert verify(public, message, signed[:64], equation)
        assert not verify(public, message + b"\0", signed[:64], equation)


@either
@pytest.mark.parametrize("case", vector_files.framing("ed25519"), ids=lambda case: case.id)
def test_signatures_of_the_project(case: vector_files.Case, equation: Equation) -> None:
    """The ed25519 lines of framing.jsonl."""
    given = case.input
    verdict = verify(given["public_key"], given["message"], given["signature"], equation)
    assert verdict is case.output["accept"], case.note


def test_the_fourteen_encodings_of_small_order_points() -> None:
    """Their five y are the right ones: y^2 is 1 or 0, or doubling gives y = 0; and all 14 are refused."""
    curve_d = -121665 * pow(121666, -1, PRIME) % PRIME
    five = signing._SMALL_ORDER
    assert len(five) == 5
    for y in five:
        assert y * y % PRIME in (0, 1) or (curve_d * pow(y, 4, PRIME) + 2 * y * y - 1) % PRIME == 0
    encodings = [y | sign << 255 for y in (*five, PRIME, PRIME + 1) for sign in (0, 1)]
    assert len(encodings) == 14
    for number in encodings:
        assert not signing._sound_point(number.to_bytes(32, "little"))


@pytest.mark.parametrize("start", [0, 32], ids=["R", "S"])
@either
def test_one_signature_has_one_spelling(equation: Equation, start: int) -> None:
    """Neither the order added to S nor the prime added to y of R passes."""
    key = SigningKey(bytes(32))
    good = key.sign(b"message")
    number = int.from_bytes(good[start : start + 32], "little") + (ORDER if start else PRIME)
    other = number.to_bytes(33, "little")[:32]
    assert verify(key.public, b"message", good, equation)
    assert not verify(key.public, b"message", good[:start] + other + good[start + 32 :], equation)


@either
@given(seed=keys, message=st.binary(max_size=100), where=st.integers(0, 96 * 8 - 1))
def test_no_flipped_bit_passes(equation: Equation, seed: bytes, message: bytes, where: int) -> None:
    """A bit changed anywhere in key or signature is refused."""
    key = SigningKey(seed)
    both = bytearray(key.public + key.sign(message))
    assert verify(bytes(both[:32]), message, bytes(both[32:]), equation)
    both[where // 8] ^= 1 << where % 8
    assert not verify(bytes(both[:32]), message, bytes(both[32:]), equation)


@either
@given(
    key=st.one_of(keys, st.binary(max_size=70)),
    message=st.binary(max_size=40),
    signature=st.one_of(st.binary(min_size=64, max_size=64), st.binary(max_size=70)),
)
def test_anything_may_be_asked(equation: Equation, key: bytes, message: bytes, signature: bytes) -> None:
    """Whatever bytes come, the answer is False, not an exception. (Bare OpenSSL takes 96 zero bytes.)"""
    assert not verify(key, message, signature, equation)


def test_without_pynacl_the_other_library_is_used() -> None:
    """Where nacl cannot be imported, everything works, by cryptography."""
    program = """
import sys
sys.modules["nacl"] = sys.modules["nacl.bindings"] = None
from hokm import signing
key = signing.SigningKey(bytes(32))
assert signing.verify(key.public, b"m", key.sign(b"m"))
assert not signing.verify(key.public, b"n", key.sign(b"m"))
print(signing.BACKEND)
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout == "cryptography\n"


@given(st.binary(min_size=32, max_size=32), st.binary(max_size=300))
def test_both_libraries_sign_alike(seed: bytes, message: bytes) -> None:
    """The same public key and the same signature, which is good."""
    keys = [SigningKey(seed, pair) for pair in PAIRS]
    assert len({(key.public, key.sign(message)) for key in keys}) == 1
    assert verify(keys[0].public, message, keys[0].sign(message))


def test_a_signing_key_keeps_its_seed_to_itself() -> None:
    """Neither repr nor str nor the errors show the seed."""
    seed = bytes(range(100, 132))
    key = SigningKey(seed)
    for shown in (repr(key), str(key), f"{key}"):
        assert key.public.hex() in shown
        assert seed.hex() not in shown
        assert repr(seed)[2:-1] not in shown
    with pytest.raises(WrongLength) as caught:
        SigningKey(seed[:31])
    assert caught.value.facts == {"name": "seed", "length": "31", "expected": "32"}


# What is signed.


def test_pae_of_dsse() -> None:
    """DSSE's own example."""
    example = vector_files.document("public/dsse/dsse_v1_example.json")
    assert pae(example["payloadType"], example["payload_utf8"].encode()) == example["pae_utf8"].encode()


@pytest.mark.parametrize("case", vector_files.framing("pae"), ids=lambda case: case.id)
def test_pae_of_the_project(case: vector_files.Case) -> None:
    """The pae lines of framing.jsonl: encoding and signature."""
    key = SigningKey(case.input["seed"])
    message = pae(case.input["type"], case.input["body"])
    assert (key.public, message, key.sign(message)) == tuple(case.output[k] for k in ("public_key", "pae", "signature"))
    assert verify(key.public, message, case.output["signature"])


def test_pae_counts_bytes_not_letters() -> None:
    """The length of a type is that of its UTF-8."""
    assert pae("é", "é".encode()) == b"DSSEv1 2 \xc3\xa9 2 \xc3\xa9"


# Names of keys.


@pytest.mark.parametrize("case", vector_files.framing("key_id"), ids=lambda case: case.id)
def test_key_ids_of_the_project(case: vector_files.Case) -> None:
    """The key_id lines of framing.jsonl: id and vkey, both ways."""
    name, kind, public = (case.input[k] for k in ("name", "signature_type", "public_key"))
    vkey = VKey(name, SignatureType(kind), public)
    assert key_id(name, kind, public) == vkey.key_id == case.output["key_id"]
    assert vkey.format() == case.output["vkey"]
    assert VKey.parse(case.output["vkey"]) == vkey


@pytest.mark.parametrize("text", vector_files.document("public/notes/notes.json")["vkeys_good"])
def test_good_vkeys(text: str) -> None:
    """Published vkeys are read and written back."""
    assert VKey.parse(text).format() == text


@pytest.mark.parametrize("case", vector_files.document("public/notes/notes.json")["vkeys_bad"], ids=lambda c: c["why"])
def test_bad_vkeys(case: dict[str, str]) -> None:
    """Published faults are refused."""
    with pytest.raises(BadVKey):
        VKey.parse(case["vkey"])


@pytest.mark.parametrize("kind", [0, 2, 3, 5, 6, 255])
def test_other_signature_types_are_refused(kind: int) -> None:
    """A vkey of a type that is not 01 or 04 is well-formed elsewhere, but of no use here."""
    public = bytes(32)
    packed = base64.b64encode(bytes([kind]) + public).decode()
    with pytest.raises(BadVKey, match=f"signature type {kind} is not known"):
        VKey.parse(f"name+{key_id('name', kind, public).hex()}+{packed}")


@given(vkeys)
def test_a_vkey_is_read_as_it_was_written(vkey: VKey) -> None:
    """parse is the inverse of format."""
    assert VKey.parse(vkey.format()) == vkey


@given(vkeys, st.integers(0), st.one_of(st.just(""), st.characters()))
def test_a_vkey_has_one_spelling(vkey: VKey, where: int, character: str) -> None:
    """A text with one character replaced or removed is refused, unless it is a vkey's own spelling."""
    text = vkey.format()
    place = where % len(text)
    mangled = text[:place] + character + text[place + 1 :]
    try:
        other = VKey.parse(mangled)
    except BadVKey:
        return
    assert other.format() == mangled


@pytest.mark.parametrize("name", ["", " ", "a b", "a+b", "a\tb", "a\nb", "a\u00a0b", "a\u2028b", "a\x00b", "\ud800"])
def test_names_that_no_key_has(name: str) -> None:
    """Empty, with a space of any kind, a plus, a control character or a lone surrogate."""
    with pytest.raises(BadVKey):
        VKey(name, SignatureType.ED25519, bytes(32))
