# SPDX-License-Identifier: Apache-2.0
"""Tools of others read this log, and ours reads theirs: tlog-scales, which shares no line with this project, and
OpenSSL."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
from pathlib import Path

import pytest
from tlog_scales.backend import HttpBackend
from tlog_scales.reader import TilesReader
from tlog_scales.signing import PlainEd25519Signer, Vkey
from tlog_scales.tiles import leaf_hash
from tlog_scales.writer import TilesWriter

from hokm.checkpoint import verify_checkpoint
from hokm.merkle import check_consistency, check_inclusion, consistency_proof, inclusion_proof
from hokm.merkle import leaf_hash as our_leaf_hash
from hokm.note import Note
from hokm.policy import Policy
from hokm.signing import SignatureType, SigningKey, VKey
from hokm.tiles import TiledTree
from hokm_server.log import Log
from hokm_server.proofs import Proofs
from hokm_server.public_keys import PublicKeys
from hokm_server.publisher import Publisher
from hokm_server.web import Web
from hokm_server.web_server import answering
from tests.server.stores import ORIGIN, batch, entry, opened
from tests.server.test_log import KEY, VKEY

SIZES = (1, 255, 256, 257, 700)


def read_by_others(url: str) -> None:
    """Everything that tlog-scales can check of a log at this address."""
    reader = TilesReader(HttpBackend(url))
    checkpoint = reader.get_checkpoint()
    checkpoint.verify(Vkey.from_string(VKEY.format()))
    size, root = checkpoint.size, checkpoint.root_hash
    assert (checkpoint.origin, size) == (ORIGIN, SIZES[-1])
    assert reader.calculate_root_hash() == root
    for index in range(0, size, 23):
        assert reader.get_entry(index) == entry(1, index)
        reader.get_inclusion_proof(index, size).check(leaf_hash(entry(1, index)), root)
    for old in SIZES:
        earlier = TilesReader(HttpBackend(url))
        earlier.set_size(old)
        reader.get_consistency_proof(old, size).check(earlier.calculate_root_hash(), root)


async def test_another_implementation_reads_this_log(tmp_path: Path) -> None:
    """Over a real connection: the signature, the root from the tiles, entries, inclusion and consistency."""
    with opened(tmp_path / "log.db") as store:
        log = Log(store, tmp_path / "head", ORIGIN, KEY)
        for old, size in zip((0, *SIZES), SIZES, strict=False):
            log.append([batch(1, old, size - old)])
            log.publish()
        keys = PublicKeys(ORIGIN, (), (), (), b"", Policy((), (), (), (), None))
        site = Web(log, keys, Proofs(store, log, Publisher(log))).site()
        async with answering(site, "127.0.0.1", 0) as port:
            await asyncio.to_thread(read_by_others, f"http://127.0.0.1:{port}")


def test_openssl_verifies_a_checkpoint(tmp_path: Path) -> None:
    """The text of the note, its signature behind four bytes of key id, and the key."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("there is no openssl here")
    with opened(tmp_path / "log.db") as store:
        log = Log(store, tmp_path / "head", ORIGIN, KEY)
        log.append([batch(1, 0, 5)])
        note = Note.parse(log.publish().note)
    spki = bytes.fromhex("302a300506032b6570032100") + KEY.public
    for name, octets in (("text", note.text.encode()), ("sig", note.signatures[0].signature), ("key", spki)):
        (tmp_path / name).write_bytes(octets)
    command = [openssl, "pkeyutl", "-verify", "-rawin", "-pubin", "-keyform", "DER", "-inkey", "key"]
    run = subprocess.run([*command, "-in", "text", "-sigfile", "sig"], cwd=tmp_path, capture_output=True, text=True)
    assert (run.returncode, run.stdout) == (0, "Signature Verified Successfully\n"), run.stderr


def test_this_reader_reads_a_log_of_another_implementation(tmp_path: Path) -> None:
    """Written commit by commit into a directory of tiles; every checkpoint on the way is the beginning of the last."""
    key, origin, place = SigningKey(b"\x05" * 32), "other.example/log", tmp_path / "log"
    vkey = VKey(origin, SignatureType.ED25519, key.public)
    signer = PlainEd25519Signer(origin, b"\x05" * 32)
    writer = TilesWriter.create(place, origin)
    checkpoints = []
    for old, size in zip((0, *SIZES), SIZES, strict=False):
        for number in range(old, size):
            writer.add_leaf(entry(1, number))
        writer.commit([signer])
        checkpoints.append(verify_checkpoint(Note.parse((place / "checkpoint").read_bytes()), [vkey]))
    last = checkpoints[-1]
    tree = TiledTree(last.size, last.root, lambda path: (place / path).read_bytes())
    assert [one for index in range(3) for one in tree.bundle(index)] == [entry(1, n) for n in range(last.size)]
    for index in range(0, last.size, 23):
        proof = inclusion_proof(index, last.size, tree.read)
        assert check_inclusion(our_leaf_hash(entry(1, index)), index, last.size, proof, last.root)
    for earlier in checkpoints:
        proof = consistency_proof(earlier.size, last.size, tree.read)
        assert check_consistency(earlier.size, earlier.root, last.size, last.root, proof)
