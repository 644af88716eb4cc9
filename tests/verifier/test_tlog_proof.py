# SPDX-License-Identifier: Apache-2.0
"""A proof of inclusion as other tools read it: one spelling, and only what leads to the root."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hokm.errors import BadTlogProof, HokmError, NotInTree
from hokm.tlog_proof import TlogProof, tlog_proof
from tests import vector_files
from tests.simulation.stories import story

EXAMPLES = vector_files.document("public/notes/tlog_proof_format.json")
GAME = story("plain")
PROVED = tlog_proof(GAME.game_proof().format())
ENTRY = GAME.entries[-1]


@pytest.mark.parametrize("text", [example["text"] for example in EXAMPLES["good"]])
def test_published_texts_are_read_as_they_are_written(text: str) -> None:
    """And written as they were."""
    assert TlogProof.parse(text.encode()).format() == text.encode()


@pytest.mark.parametrize("example", EXAMPLES["bad"], ids=lambda example: str(example["why"]))
def test_published_texts_that_are_none(example: dict[str, str]) -> None:
    """Each is refused."""
    with pytest.raises(BadTlogProof):
        TlogProof.parse(example["text"].encode())


@given(
    st.builds(
        TlogProof,
        st.integers(0, 2**63 - 1),
        st.lists(st.binary(min_size=32, max_size=32), max_size=64).map(tuple),
        st.binary(min_size=1),
        st.none() | st.binary(),
    )
)
def test_a_proof_is_read_as_it_was_written(proof: TlogProof) -> None:
    """The reader is the exact inverse of the writer."""
    assert TlogProof.parse(proof.format()) == proof


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"\n\n",
        b"c2sp.org/tlog-proof@v1\nindex 0\n",
        b"c2sp.org/tlog-proof@v1\nindex 0\n\n",
        b"c2sp.org/tlog-proof@v1\nindex 00\n\nx\n",
        b"c2sp.org/tlog-proof@v1\nindex 1\nextra QQ==\n\nx\n",
        b"c2sp.org/tlog-proof@v1\nextra QQ==\nextra QQ==\nindex 1\n\nx\n",
        b"c2sp.org/tlog-proof@v1\r\nindex 1\n\nx\n",
        b"c2sp.org/tlog-proof@v1\nindex 1\n" + b"A" * 43 + b"=\n" * 65 + b"\nx\n",
        b"c2sp.org/tlog-proof@v1\nindex 1\n" + (b"A" * 43 + b"=\n") * 65 + b"\nx\n",
        b"c2sp.org/tlog-proof@v1\nindex \xd9\xa1\n\nx\n",
    ],
)
def test_what_is_none(text: bytes) -> None:
    """One sentence, never a traceback."""
    with pytest.raises(BadTlogProof):
        TlogProof.parse(text)


def test_the_last_entry_of_a_game_and_of_a_round() -> None:
    """The entry goes along, and leads to the checkpoint that witnesses saw."""
    for proof in (GAME.game_proof(), GAME.round_proof(2)):
        made = TlogProof.parse(tlog_proof(proof.format()).format())
        assert made.extra == proof.entries[-1]
        assert made.verify(made.extra, GAME.house.policy).quorum_met
    with pytest.raises(BadTlogProof):
        tlog_proof(replace(GAME.game_proof(), entries=tuple(GAME.entries[:-1])).format())


def test_another_entry_place_or_hash_leads_nowhere() -> None:
    """Nor does a proof with a hash more or less."""
    assert len(PROVED.hashes) > 2
    changed = [
        replace(PROVED, index=PROVED.index - 1),
        replace(PROVED, hashes=PROVED.hashes[1:]),
        replace(PROVED, hashes=(*PROVED.hashes, bytes(32))),
        replace(PROVED, hashes=PROVED.hashes[::-1]),
    ]
    for proof in changed:
        with pytest.raises(NotInTree):
            proof.verify(ENTRY, GAME.house.policy)
    with pytest.raises(NotInTree):
        PROVED.verify(ENTRY[:-1], GAME.house.policy)


@given(st.data())
def test_a_mangled_proof_proves_nothing_else(data: st.DataObject) -> None:
    """A byte changed before the signatures is refused somewhere, or says the same."""
    octets = bytearray(PROVED.format())
    end = octets.rindex(b"\n\n")
    place = data.draw(st.integers(0, end))
    octets[place] ^= data.draw(st.integers(1, 255))
    try:
        proof = TlogProof.parse(bytes(octets))
        proof.verify(ENTRY, GAME.house.policy)
    except HokmError:
        return
    assert replace(proof, extra=None) == replace(PROVED, extra=None)  # the extra is nobody's word
