# SPDX-License-Identifier: Apache-2.0
"""The Merkle tree against the definitions of RFC 6962 taken literally, exhaustively where trees are small."""

from __future__ import annotations

import base64
import hashlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hokm import merkle
from hokm.errors import OutOfTree
from tests import vector_files

MOST = 40
LEAVES = [merkle.leaf_hash(str(number).encode()) for number in range(MOST)]


# The definitions of RFC 6962 sections 2.1 to 2.1.2, word by word, over leaf hashes.


def largest_power_below(size: int) -> int:
    power = 1
    while power * 2 < size:
        power *= 2
    return power


def tree_hash(leaves: list[bytes]) -> bytes:
    if not leaves:
        return hashlib.sha256(b"").digest()
    if len(leaves) == 1:
        return leaves[0]
    k = largest_power_below(len(leaves))
    return hashlib.sha256(b"\x01" + tree_hash(leaves[:k]) + tree_hash(leaves[k:])).digest()


def path(m: int, leaves: list[bytes]) -> list[bytes]:
    if len(leaves) == 1:
        return []
    k = largest_power_below(len(leaves))
    if m < k:
        return [*path(m, leaves[:k]), tree_hash(leaves[k:])]
    return [*path(m - k, leaves[k:]), tree_hash(leaves[:k])]


def subproof(m: int, leaves: list[bytes], whole: bool) -> list[bytes]:
    if m == len(leaves):
        return [] if whole else [tree_hash(leaves)]
    k = largest_power_below(len(leaves))
    if m <= k:
        return [*subproof(m, leaves[:k], whole), tree_hash(leaves[k:])]
    return [*subproof(m - k, leaves[k:], False), tree_hash(leaves[:k])]


def reader(size: int) -> merkle.Reader:
    """A reader of the tree over the first `size` leaves, which has no later node."""
    return merkle.reading(merkle.grow(0, LEAVES[:size], merkle.reading({})))


# Small trees, all of them.


def test_leaf_and_node() -> None:
    """Leaves are hashed behind 00, nodes behind 01, nothing is the hash of nothing."""
    assert merkle.leaf_hash(b"entry") == hashlib.sha256(b"\x00entry").digest()
    assert merkle.node_hash(b"l" * 32, b"r" * 32) == hashlib.sha256(b"\x01" + b"l" * 32 + b"r" * 32).digest()
    assert hashlib.sha256(b"").digest() == merkle.EMPTY_ROOT


@pytest.mark.parametrize("size", range(MOST + 1))
def test_roots(size: int) -> None:
    """The root of leaves, and that of any earlier size from the reader, is the RFC's."""
    assert merkle.root(LEAVES[:size]) == tree_hash(LEAVES[:size])
    for earlier in range(size + 1):
        assert merkle.root_of(earlier, reader(size)) == tree_hash(LEAVES[:earlier])


@pytest.mark.parametrize("size", range(1, MOST + 1))
def test_inclusion(size: int) -> None:
    """Each leaf's proof is the RFC's, is accepted, and only for this leaf and place."""
    root = tree_hash(LEAVES[:size])
    for index in range(size):
        proof = merkle.inclusion_proof(index, size, reader(size))
        assert proof == path(index, LEAVES[:size])
        assert merkle.check_inclusion(LEAVES[index], index, size, proof, root)
        for other in range(MOST):
            assert merkle.check_inclusion(LEAVES[index], other, size, proof, root) is (other == index)
            assert not merkle.check_inclusion(LEAVES[other], index, size, proof, root) or other == index


@pytest.mark.parametrize("new", range(MOST + 1))
def test_consistency(new: int) -> None:
    """Each proof is the RFC's, is accepted, and only for these sizes and roots."""
    new_root = tree_hash(LEAVES[:new])
    for old in range(new + 1):
        old_root = tree_hash(LEAVES[:old])
        proof = merkle.consistency_proof(old, new, reader(new))
        assert proof == (subproof(old, LEAVES[:new], True) if old else [])
        assert merkle.check_consistency(old, old_root, new, new_root, proof)
        for other in range(MOST + 1):
            if other != old:
                assert not merkle.check_consistency(old, tree_hash(LEAVES[:other]), new, new_root, proof)
            if other != new and old not in (0, other):
                assert not merkle.check_consistency(old, old_root, new, tree_hash(LEAVES[:other]), proof)


@pytest.mark.parametrize("size", range(MOST + 1))
def test_growing_gives_each_node_once(size: int) -> None:
    """From any size to any other: exactly the full subtrees that were not there, read from old nodes alone."""
    old = merkle.grow(0, LEAVES[:size], merkle.reading({}))
    for more in range(MOST + 1 - size):
        new = merkle.grow(size, LEAVES[size : size + more], merkle.reading(old))
        whole = merkle.grow(0, LEAVES[: size + more], merkle.reading({}))
        assert not new.keys() & old.keys()
        assert new | old == whole
        for (level, index), node in new.items():
            assert node == tree_hash(LEAVES[index << level : (index + 1) << level])
        assert merkle.root_of(size + more, merkle.reading(new, merkle.reading(old))) == tree_hash(LEAVES[: size + more])


def test_a_tree_of_size_n_has_all_full_subtrees() -> None:
    """Of level l there are n >> l."""
    nodes = merkle.grow(0, LEAVES, merkle.reading({}))
    assert set(nodes) == {(level, index) for level in range(MOST) for index in range(MOST >> level)}


# Large trees: the reader is asked, nothing is kept.


class Twins:
    """A tree in which all leaves are alike, so that every node of a level is too."""

    def __init__(self) -> None:
        self.levels = [LEAVES[0]]
        for _ in range(64):
            self.levels.append(merkle.node_hash(self.levels[-1], self.levels[-1]))

    def read(self, level: int, index: int) -> bytes:
        return self.levels[level]


TWINS = Twins()
sizes = st.integers(1, 2**63 - 1)


@given(sizes, sizes)
def test_inclusion_in_large_trees(a: int, b: int) -> None:
    """A proof is never longer than 63 hashes, and accepted."""
    index, size = min(a, b) - 1, max(a, b)
    proof = merkle.inclusion_proof(index, size, TWINS.read)
    assert len(proof) <= 63
    assert merkle.check_inclusion(LEAVES[0], index, size, proof, merkle.root_of(size, TWINS.read))


@given(sizes, sizes)
def test_consistency_of_large_trees(a: int, b: int) -> None:
    """A proof is never longer than 64 hashes, and accepted."""
    old, new = sorted((a, b))
    proof = merkle.consistency_proof(old, new, TWINS.read)
    assert len(proof) <= 64
    roots = [merkle.root_of(size, TWINS.read) for size in (old, new)]
    assert merkle.check_consistency(old, roots[0], new, roots[1], proof)


# Mangled proofs.

mangled = st.sampled_from(["flip", "drop", "double", "shorten", "lengthen", "swap"])


def mangle(proof: list[bytes], how: str, place: int) -> list[bytes]:
    place %= len(proof)
    before, here, after = proof[:place], proof[place], proof[place + 1 :]
    match how:
        case "flip":
            return [*before, bytes([here[0] ^ 1]) + here[1:], *after]
        case "drop":
            return [*before, *after]
        case "double":
            return [*before, here, here, *after]
        case "shorten":
            return [*before, here[:-1], *after]
        case "lengthen":
            return [*before, here + b"\0", *after]
        case _:
            return proof[::-1] if len(proof) > 1 else []


@given(st.integers(2, MOST), st.integers(0), mangled, st.integers(0))
def test_a_mangled_inclusion_proof_is_refused(size: int, index: int, how: str, place: int) -> None:
    """Changed, dropped, doubled, of another length, in another order: False."""
    proof = mangle(path(index % size, LEAVES[:size]), how, place)
    assert not merkle.check_inclusion(LEAVES[index % size], index % size, size, proof, tree_hash(LEAVES[:size]))


@given(st.integers(2, MOST), st.integers(0), mangled, st.integers(0))
def test_a_mangled_consistency_proof_is_refused(new: int, old: int, how: str, place: int) -> None:
    """The same for consistency."""
    old = 1 + old % (new - 1)
    proof = mangle(subproof(old, LEAVES[:new], True), how, place)
    roots = [tree_hash(LEAVES[:size]) for size in (old, new)]
    assert not merkle.check_consistency(old, roots[0], new, roots[1], proof)


def test_from_nothing() -> None:
    """Consistency from size 0 is the empty proof and the empty root, to any root of 32 bytes."""
    root = tree_hash(LEAVES)
    assert merkle.consistency_proof(0, MOST, reader(MOST)) == []
    assert merkle.check_consistency(0, merkle.EMPTY_ROOT, MOST, root, [])
    assert not merkle.check_consistency(0, merkle.EMPTY_ROOT, MOST, root, [root])
    assert not merkle.check_consistency(0, root, MOST, root, [])
    assert not merkle.check_consistency(0, b"", MOST, root, [])
    assert merkle.check_consistency(0, merkle.EMPTY_ROOT, 0, merkle.EMPTY_ROOT, [])
    assert not merkle.check_consistency(0, merkle.EMPTY_ROOT, 0, root, [])
    assert not merkle.check_consistency(0, root, 0, root, [])


def test_what_a_tree_does_not_contain() -> None:
    """To ask for a leaf or an older tree beyond the tree is an error; to be shown one is False."""
    for index, size in [(0, 0), (5, 5), (6, 5), (-1, 5)]:
        with pytest.raises(OutOfTree):
            merkle.inclusion_proof(index, size, reader(MOST))
        assert not merkle.check_inclusion(LEAVES[0], index, size, [], LEAVES[0])
    for old, new in [(6, 5), (-1, 5)]:
        with pytest.raises(OutOfTree):
            merkle.consistency_proof(old, new, reader(MOST))
        assert not merkle.check_consistency(old, LEAVES[0], new, LEAVES[0], [])


# Public vectors.


def test_the_tree_of_eight_leaves() -> None:
    """The tree of the Certificate Transparency tests: all 15 nodes and all 9 roots."""
    tree = vector_files.document("public/rfc6962/eight_leaf_tree.json")
    leaves = [merkle.leaf_hash(bytes.fromhex(leaf)) for leaf in tree["leaf_inputs_hex"]]
    nodes = merkle.grow(0, leaves, merkle.reading({}))
    assert {place: node.hex() for place, node in nodes.items()} == {
        (level, index): node
        for level, row in enumerate(tree["node_hashes_hex_by_level"])
        for index, node in enumerate(row)
    }
    for size, root in enumerate(tree["root_hex_by_tree_size"]):
        assert merkle.root(leaves[:size]).hex() == root


def proof_of(case: dict[str, Any]) -> list[bytes]:
    return [base64.b64decode(node) for node in case["proof"] or ()]


def test_published_inclusion_cases() -> None:
    """All 98 cases, 6 of them good."""
    name = "public/rfc6962/inclusion.json"
    cases = vector_files.document(name)
    for case in cases:
        leaf, root = base64.b64decode(case["leafHash"] or ""), base64.b64decode(case["root"] or "")
        verdict = merkle.check_inclusion(leaf, case["leafIdx"], case["treeSize"], proof_of(case), root)
        assert verdict is not case["wantErr"], case["file"]
    assert len(cases) == 98 or not vector_files.is_ours(name)


NOT_HASHES = "testdata/consistency/additional/sizes-are-equal-one-and-proof-is-empty.json"


def test_published_consistency_cases() -> None:
    """97 of the 98 cases; in the other, published as good, the roots are 12 bytes of text, and we refuse it."""
    name = "public/rfc6962/consistency.json"
    cases = vector_files.document(name)
    for case in cases:
        old_root, new_root = base64.b64decode(case["root1"] or ""), base64.b64decode(case["root2"] or "")
        verdict = merkle.check_consistency(case["size1"], old_root, case["size2"], new_root, proof_of(case))
        expected = not case["wantErr"] and case["file"] != NOT_HASHES
        assert verdict is expected, case["file"]
    assert len(cases) == 98 or not vector_files.is_ours(name)
