# SPDX-License-Identifier: Apache-2.0
"""Policies: the lines of C2SP tlog-policy and our #root, and when a quorum is met."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hokm.checkpoint import Checkpoint, Cosignature, cosign, sign_checkpoint
from hokm.errors import BadCheckpoint, BadPolicy, BadSignature, NotSigned, UnknownLog
from hokm.note import Note, NoteSignature
from hokm.policy import MOST_BYTES, Group, Log, Policy, Witness
from hokm.signing import SignatureType, SigningKey, VKey

ORIGIN = "example.org/hokm"


def key(number: int) -> SigningKey:
    return SigningKey(number.to_bytes(32))


def vkey(name: str, number: int, kind: SignatureType = SignatureType.ED25519) -> VKey:
    return VKey(name, kind, key(number).public)


LOG = vkey(ORIGIN, 1)
ROOT = vkey(ORIGIN + "/root", 2)
WITNESSES = {name: vkey(f"w.example/{name}", 10 + n, SignatureType.COSIGNATURE) for n, name in enumerate("ABCDEF")}
W = {name: seen.format() for name, seen in WITNESSES.items()}

HEAD = f"log {LOG.format()}\n#root {ROOT.format()}\n"
SIX = "".join(f"witness {name} {text}\n" for name, text in W.items())
TWO_LEVELS = f"""{HEAD}{SIX}
group X 2 A B C
group Y any D E F
group X-and-Y all X Y
quorum X-and-Y
"""


def parse(text: str) -> Policy:
    return Policy.parse(text.encode())


def test_a_policy_with_everything() -> None:
    """Spaces and tabs, comments, empty lines, URLs, octets that are no UTF-8, lines in another order."""
    octets = b"".join(
        [
            b"\t # a comment \xff\xfe\n\n \t \n",
            b"#rooted is a comment, # root too\n# root x\n",
            f"#root\t{ROOT.format()}  \n".encode(),
            f"witness \xff\xe9 {W['A']} https://w.example/\xfe\n".encode("latin-1"),
            f"  witness  all\t{W['B']}\n".encode(),
            b"group any any all \xff\xe9\n",
            f"quorum\tany\nlog {LOG.format()} https://example.org\n".encode(),
        ]
    )
    policy = Policy.parse(octets)
    assert policy.logs == (Log(LOG, "https://example.org"),)
    assert policy.roots == (ROOT,)
    assert policy.witnesses == (
        Witness("\udcff\udce9", WITNESSES["A"], "https://w.example/\udcfe"),
        Witness("all", WITNESSES["B"]),
    )
    assert policy.groups == (Group("any", 1, ("all", "\udcff\udce9")),)
    assert policy.quorum == "any"
    assert Policy.parse(policy.format()) == policy
    assert policy.root_key(ORIGIN) == ROOT
    with pytest.raises(UnknownLog):
        policy.root_key("another.example")


@st.composite
def policies(draw: st.DrawFn) -> Policy:
    """Any policy that keeps the rules, written out of a drawn tree."""
    names = draw(st.lists(st.text(st.sampled_from("ab0-#é\udcff"), min_size=1, max_size=3), unique=True, max_size=9))
    urls = st.one_of(st.none(), st.just("https://example.org/é"))
    origins = [f"log{n}.example" for n in range(draw(st.integers(0, 3)))]
    logs = [Log(vkey(origin, 100 + n), draw(urls)) for n, origin in enumerate(origins)]
    roots = [vkey(origin + "/root", 200 + n) for n, origin in enumerate(origins)]
    split = draw(st.integers(0, len(names)))
    witnesses = [
        Witness(name, vkey(f"w{n}", 300 + n, SignatureType.COSIGNATURE), draw(urls))
        for n, name in enumerate(names[:split])
    ]
    free, groups = names[:split], []
    for name in names[split:]:
        members = draw(st.lists(st.sampled_from(free), unique=True, min_size=1)) if free else []
        if members:
            groups.append(Group(name, draw(st.integers(1, len(members))), tuple(members)))
            free = [other for other in free if other not in members] + [name]
    defined = [entry.name for entry in witnesses] + [group.name for group in groups]
    quorum = draw(st.one_of(st.none(), st.sampled_from(defined))) if defined else None
    return Policy(tuple(logs), tuple(roots), tuple(witnesses), tuple(groups), quorum)


@given(policies())
def test_a_policy_is_read_as_it_was_written(policy: Policy) -> None:
    """parse is the inverse of format."""
    assert Policy.parse(policy.format()) == policy


@given(policies(), st.integers(0), st.one_of(st.just(b""), st.binary(min_size=1, max_size=1)))
def test_a_mangled_policy_is_refused_or_another_policy(policy: Policy, where: int, octet: bytes) -> None:
    """A byte replaced or removed makes no exception but BadPolicy, and what is read keeps the rules."""
    octets = policy.format()
    place = where % len(octets)
    try:
        other = Policy.parse(octets[:place] + octet + octets[place + 1 :])
    except BadPolicy:
        return
    assert Policy.parse(other.format()) == other


ROOT_TWICE = vkey(ORIGIN + "/root", 3)
MALFORMED: dict[str, tuple[int, str]] = {
    "no quorum": (0, HEAD),
    "empty file": (0, ""),
    "two quorums": (4, HEAD + "quorum none\nquorum none\n"),
    "quorum not defined": (3, HEAD + "quorum A\n"),
    "quorum defined below": (3, f"{HEAD}quorum A\nwitness A {W['A']}\n"),
    "quorum of two": (5, f"{HEAD}witness A {W['A']}\nwitness B {W['B']}\nquorum A B\n"),
    "quorum of nothing": (3, HEAD + "quorum\n"),
    "no newline at the end": (3, HEAD + "quorum none"),
    "unknown line": (3, HEAD + "monitor x\nquorum none\n"),
    "word in capitals": (3, HEAD + "QUORUM none\n"),
    "carriage return": (3, HEAD + "quorum none\r\n"),
    "control character in a comment": (3, HEAD + "# \x07\nquorum none\n"),
    "delete character": (3, HEAD + "# \x7f\nquorum none\n"),
    "vertical tab": (3, HEAD + "quorum\x0bnone\n"),
    "log without key": (1, "log\n"),
    "log with two urls": (1, f"log {LOG.format()} a b\n"),
    "log of type 04": (1, f"log {W['A']}\n"),
    "log with a name that is no origin": (1, f"log {vkey('لاگ', 1).format()}\n"),
    "log key with another id": (1, f"log {LOG.format().replace('+', '+0', 1)}\n"),
    "log key twice": (3, f"{HEAD}log {vkey('other.example', 1).format()}\n"),
    "witness without name": (3, f"{HEAD}witness {W['A']}\n"),
    "witness of type 01": (3, f"{HEAD}witness A {vkey('w', 10).format()}\n"),
    "witness called none": (3, f"{HEAD}witness none {W['A']}\n"),
    "witness name twice": (4, f"{HEAD}witness A {W['A']}\nwitness A {W['B']}\n"),
    "witness key twice": (
        4,
        f"{HEAD}witness A {W['A']}\nwitness B {vkey('another', 10, SignatureType.COSIGNATURE).format()}\n",
    ),
    "group without members": (9, f"{HEAD}{SIX}group X any\n"),
    "group of 0": (9, f"{HEAD}{SIX}group X 0 A B\n"),
    "group of more than there are": (9, f"{HEAD}{SIX}group X 3 A B\n"),
    "group of 01": (9, f"{HEAD}{SIX}group X 01 A B\n"),
    "group of -1": (9, f"{HEAD}{SIX}group X -1 A B\n"),
    "group of most": (9, f"{HEAD}{SIX}group X most A B\n"),
    "group of none": (9, f"{HEAD}{SIX}group X any none\n"),
    "group called none": (9, f"{HEAD}{SIX}group none any A\n"),
    "group called like a witness": (9, f"{HEAD}{SIX}group B any A\n"),
    "group of itself": (9, f"{HEAD}{SIX}group X any X\n"),
    "group of what comes below": (3, f"{HEAD}group X any A\n{SIX}"),
    "member twice": (9, f"{HEAD}{SIX}group X any A A\n"),
    "member of two groups": (10, f"{HEAD}{SIX}group X any A B\ngroup Y any B C\n"),
    "root missing": (0, f"log {LOG.format()}\nquorum none\n"),
    "root twice": (0, f"{HEAD}#root {ROOT_TWICE.format()}\nquorum none\n"),
    "root the same twice": (0, f"{HEAD}#root {ROOT.format()}\nquorum none\n"),
    "root of no log": (0, f"#root {ROOT.format()}\nquorum none\n"),
    "root of another name": (0, f"log {LOG.format()}\n#root {vkey(ORIGIN, 2).format()}\nquorum none\n"),
    "root of type 04": (1, f"#root {vkey(ORIGIN + '/root', 2, SignatureType.COSIGNATURE).format()}\n"),
    "root without key": (1, "#root\n"),
    "root with more": (1, f"#root {ROOT.format()} https://example.org\n"),
    "root that is the log's key": (0, f"log {LOG.format()}\n#root {vkey(ORIGIN + '/root', 1).format()}\nquorum none\n"),
    "root that is a witness's key": (
        0,
        f"log {LOG.format()}\n#root {vkey(ORIGIN + '/root', 10).format()}\nwitness A {W['A']}\nquorum none\n",
    ),
}


@pytest.mark.parametrize("fault", MALFORMED)
def test_what_is_no_policy(fault: str) -> None:
    """Each of these faults is refused, with its line."""
    line, text = MALFORMED[fault]
    with pytest.raises(BadPolicy) as caught:
        parse(text)
    assert caught.value.line == line, caught.value


def test_a_policy_has_a_limit() -> None:
    """A million bytes are read, one more is not."""
    text = HEAD + "quorum none\n"
    assert parse("\n" * (MOST_BYTES - len(text)) + text).quorum is None
    with pytest.raises(BadPolicy):
        parse("\n" * (MOST_BYTES - len(text) + 1) + text)


def test_two_keys_of_one_log_have_one_root() -> None:
    """A log may be listed with two keys; then either will do."""
    policy = parse(f"{HEAD}log {vkey(ORIGIN, 3).format()}\nquorum none\n")
    checkpoint = Checkpoint(ORIGIN, 5, bytes(32))
    for number in (1, 3):
        assert policy.endorse(sign_checkpoint(checkpoint, key(number))).checkpoint == checkpoint


# Quorums.


def test_the_quorum_of_two_levels() -> None:
    """All 64 sets of witnesses: two of A B C, and one of D E F."""
    policy = parse(TWO_LEVELS)
    for count in range(7):
        for names in combinations("ABCDEF", count):
            expected = len(set(names) & set("ABC")) >= 2 and len(set(names) & set("DEF")) >= 1
            assert policy.is_met_by([WITNESSES[name] for name in names]) is expected


def test_small_quorums() -> None:
    """None, one witness, and witnesses that the policy does not know."""
    stranger = vkey("w.example/A", 99, SignatureType.COSIGNATURE)
    assert parse(HEAD + "quorum none\n").is_met_by([])
    one = parse(f"{HEAD}{SIX}quorum B\n")
    assert one.is_met_by([WITNESSES["B"]])
    assert not one.is_met_by([WITNESSES["A"], stranger])
    assert not one.is_met_by([])
    assert not parse(f"{HEAD}{SIX}group X 2 A B\nquorum X\n").is_met_by([WITNESSES["A"], WITNESSES["A"]])


def test_groups_may_be_nested_deeply() -> None:
    """A chain of ten thousand groups is only a loop."""
    chain = "".join(f"group g{n + 1} all g{n}\n" for n in range(10_000))
    policy = parse(f"{HEAD}witness g0 {W['A']}\n{chain}quorum g10000\n")
    assert policy.is_met_by([WITNESSES["A"]])
    assert not policy.is_met_by([])


# Checkpoints by a policy.

CHECKPOINT = Checkpoint(ORIGIN, 5, bytes(32))


def cosigned(*names: str) -> Note:
    note = sign_checkpoint(CHECKPOINT, key(1))
    lines = (cosign(CHECKPOINT, WITNESSES[name].name, key(10 + "ABCDEF".index(name)), 1000) for name in names)
    return Note(note.text, (*note.signatures, *lines))


def test_an_endorsed_checkpoint() -> None:
    """The checkpoint, the cosignatures that count, and whether they suffice."""
    policy = parse(TWO_LEVELS)
    endorsed = policy.endorse(cosigned("E", "A", "C"))
    assert endorsed.checkpoint == CHECKPOINT
    assert endorsed.cosignatures == tuple(Cosignature(WITNESSES[name], 1000) for name in "ACE")
    assert endorsed.quorum_met
    assert not policy.endorse(cosigned("A", "B")).quorum_met
    assert not policy.endorse(cosigned()).quorum_met
    assert parse(HEAD + "quorum none\n").endorse(cosigned("A")).cosignatures == ()


def test_a_checkpoint_that_a_policy_does_not_take() -> None:
    """Of an unknown log, not signed by the log, badly cosigned, or none."""
    policy = parse(TWO_LEVELS)
    with pytest.raises(UnknownLog, match=r"another\.example"):
        policy.endorse(sign_checkpoint(Checkpoint("another.example", 5, bytes(32)), key(1)))
    with pytest.raises(NotSigned):
        policy.endorse(sign_checkpoint(CHECKPOINT, key(3)))
    good = cosigned("A", "D")
    worse = NoteSignature(WITNESSES["B"].name, WITNESSES["B"].key_id, good.signatures[1].signature)
    with pytest.raises(BadSignature):
        policy.endorse(Note(good.text, (*good.signatures, worse)))
    with pytest.raises(BadCheckpoint):
        policy.endorse(Note("text\n", good.signatures))
