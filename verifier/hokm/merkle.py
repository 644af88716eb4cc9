# SPDX-License-Identifier: Apache-2.0
"""The Merkle tree of RFC 6962 section 2.1: roots, proofs, and how a tree grows, as pure maths that asks a reader.

A tree of n leaves splits after the largest power of two below n; so its left parts are *full* subtrees of
2^level leaves, and these never change once they are there. The node (level, index) is the full subtree over the
leaves index * 2^level up to, not including, (index + 1) * 2^level; a leaf hash is the node (0, index). These nodes
are all that has to be kept, and a `Reader` is whatever keeps them: a dictionary, tiles, a database.

A span (start, end) is the part of the tree over these leaves. Proofs are lists of the hashes of spans; the
prover and the checker walk the same spans, one asking the reader for them, the other given them.

Every hash has 32 bytes. A checker is given whatever was sent and answers with True or False.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence

from hokm.errors import OutOfTree

HASH_BYTES = 32

EMPTY_ROOT = hashlib.sha256().digest()
"""The root of the tree without leaves."""

Reader = Callable[[int, int], bytes]
"""The hash of the node (level, index)."""

Nodes = dict[tuple[int, int], bytes]
"""Hashes by (level, index)."""

_Span = tuple[int, int]


# Hashes.


def leaf_hash(entry: bytes) -> bytes:
    """The hash of a leaf: SHA-256(00 || entry)."""
    return hashlib.sha256(b"\x00" + entry).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """The hash over two subtrees: SHA-256(01 || left || right)."""
    return hashlib.sha256(b"\x01" + left + right).digest()


# Trees.


def grow(size: int, leaves: Iterable[bytes], read: Reader) -> Nodes:
    """The nodes that appear when a tree of `size` leaves gets these leaf hashes more, lower before higher.

    `read` is asked only for nodes of the old tree.
    """
    new: Nodes = {}
    for place, leaf in enumerate(leaves, size):
        level, index, node = 0, place, leaf
        assert len(leaf) == HASH_BYTES
        new[level, index] = node
        while index & 1:  # a right half completes the node above
            node = node_hash(new.get((level, index - 1)) or read(level, index - 1), node)
            level, index = level + 1, index >> 1
            new[level, index] = node
    return new


def reading(nodes: Mapping[tuple[int, int], bytes], otherwise: Reader | None = None) -> Reader:
    """A reader of these nodes, and of `otherwise` for those that are not among them."""

    def read(level: int, index: int) -> bytes:
        node = nodes.get((level, index))
        if node is not None:
            return node
        assert otherwise is not None, f"the node ({level}, {index}) is missing"
        return otherwise(level, index)

    return read


def root_of(size: int, read: Reader) -> bytes:
    """The root of the first `size` leaves."""
    return _span_hash((0, size), read) if size else EMPTY_ROOT


def root(leaves: Sequence[bytes]) -> bytes:
    """The root over these leaf hashes."""
    return root_of(len(leaves), reading(grow(0, leaves, reading({}))))


def _span_hash(span: _Span, read: Reader) -> bytes:
    """The hash of a span that the tree's own splitting made: full subtrees, each smaller than the one before."""
    start, end = span
    parts = []
    while start < end:
        level = (end - start).bit_length() - 1
        parts.append(read(level, start >> level))
        start += 1 << level
    whole = parts.pop()
    while parts:
        whole = node_hash(parts.pop(), whole)
    return whole


def _halves(span: _Span) -> tuple[_Span, _Span]:
    start, end = span
    middle = start + (1 << ((end - start - 1).bit_length() - 1))
    return (start, middle), (middle, end)


# Inclusion.


def inclusion_proof(index: int, size: int, read: Reader) -> list[bytes]:
    """The proof that a leaf is the one at `index` in the tree of `size` leaves (RFC 6962 section 2.1.1).

    Raises `OutOfTree`.
    """
    if not 0 <= index < size:
        raise OutOfTree(index, size)
    return [_span_hash(span, read) for span in _beside_leaf(index, size)]


def check_inclusion(leaf: bytes, index: int, size: int, proof: Sequence[bytes], root: bytes) -> bool:
    """Whether `proof` shows that the leaf hash `leaf` stands at `index` in the tree of this size and root."""
    if not 0 <= index < size or not _are_hashes(leaf, root, *proof):
        return False
    spans = _beside_leaf(index, size)
    if len(proof) != len(spans):
        return False
    node = leaf
    for (start, _), sibling in zip(spans, proof, strict=True):
        node = node_hash(node, sibling) if index < start else node_hash(sibling, node)
    return node == root


def _beside_leaf(index: int, size: int) -> list[_Span]:
    """The spans beside the way from the leaf up to the root."""
    spans, here = [], (0, size)
    while here[1] - here[0] > 1:
        left, right = _halves(here)
        here, beside = (left, right) if index < right[0] else (right, left)
        spans.append(beside)
    return spans[::-1]


# Consistency.


def consistency_proof(old: int, new: int, read: Reader) -> list[bytes]:
    """The proof that the tree of `new` leaves begins with the tree of `old` leaves (RFC 6962 section 2.1.2).

    Empty for old = 0 and for old = new. Raises `OutOfTree`.
    """
    if not 0 <= old <= new:
        raise OutOfTree(old, new)
    if old in (0, new):
        return []
    corner, spans = _beside_corner(old, new)
    seed = [] if corner == (0, old) else [_span_hash(corner, read)]
    return seed + [_span_hash(span, read) for span in spans]


def check_consistency(old_size: int, old_root: bytes, new_size: int, new_root: bytes, proof: Sequence[bytes]) -> bool:
    """Whether `proof` shows that the new tree begins with the old one.

    From the empty tree that is the empty proof, and the empty root (C2SP tlog-witness).
    """
    if not 0 <= old_size <= new_size or not _are_hashes(old_root, new_root, *proof):
        return False
    if old_size == 0 and old_root != EMPTY_ROOT:
        return False
    if old_size in (0, new_size):
        return not proof and (old_size < new_size or old_root == new_root)
    corner, spans = _beside_corner(old_size, new_size)
    hashes = list(proof) if corner != (0, old_size) else [old_root, *proof]
    if len(hashes) != len(spans) + 1:
        return False
    old = new = hashes[0]
    for (start, _), sibling in zip(spans, hashes[1:], strict=True):
        if start < old_size:  # to the left: in both trees
            old, new = node_hash(sibling, old), node_hash(sibling, new)
        else:
            new = node_hash(new, sibling)
    return old == old_root and new == new_root


def _beside_corner(old: int, new: int) -> tuple[_Span, list[_Span]]:
    """The largest span that ends both in the new tree and where the old one ended; what is beside its way up."""
    spans, here = [], (0, new)
    while here[1] != old:
        left, right = _halves(here)
        here, beside = (left, right) if old <= right[0] else (right, left)
        spans.append(beside)
    return here, spans[::-1]


def _are_hashes(*candidates: bytes) -> bool:
    return all(len(candidate) == HASH_BYTES for candidate in candidates)
