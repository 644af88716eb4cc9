# SPDX-License-Identifier: Apache-2.0
"""Proofs fetched, kept as files, and judged by `hokm-verify` in a process of its own.

A program of its own, because it then knows no more than what anybody has, the file and the policy, and is told of
nothing but the player's key and the head that the player has seen.
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Final, NamedTuple

from hokm.errors import HokmError, system_words
from hokm_client.errors import VerifierFailed
from hokm_client.pauses import may_mend
from hokm_client.player import Player
from hokm_client.witnessed import Head

PATIENCE_SECONDS: Final = 60.0
"""How long a proof is asked for where the server is away or has not published the round yet."""


class Checked(NamedTuple):
    """A proof that was judged."""

    path: Path
    verdict: str
    """The verifier's word: VERIFIED, VERIFIED WITH WARNINGS, INCOMPLETE, REJECTED or UNREADABLE."""
    fault: str
    """Why it is false or no proof, in the verifier's sentence; empty where nothing is wrong."""
    warnings: frozenset[str]
    """Their codes."""


def proof_path(folder: Path, table_id: bytes, number: int | None) -> Path:
    """Where the proof of a round, or of the whole game, is kept."""
    return folder / f"{table_id.hex()}-{'game' if number is None else number}.json"


async def check_proof(player: Player, table_id: bytes, number: int | None, folder: Path, policy: Path) -> Checked:
    """Fetch the proof of that round, or of the whole game, keep it in `folder` and have it judged by that policy.

    Raises what the server refuses it for, and `VerifierFailed`.
    """
    path = proof_path(folder, table_id, number)
    proof = await _fetched(player, table_id, number)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path.write_bytes(proof)
    except OSError as error:
        raise VerifierFailed(f"{path}: {system_words(error)}") from None
    return await _judged(path, policy, player.key.public, player.head(table_id, number))


async def _fetched(player: Player, table_id: bytes, number: int | None) -> bytes:
    loop = asyncio.get_running_loop()
    until, pauses = loop.time() + PATIENCE_SECONDS, player.connection.pauses()
    while True:
        try:
            return await player.proof(table_id, number)
        except HokmError as error:
            if not may_mend(error) or loop.time() >= until:
                raise
        await pauses.wait()


async def _judged(path: Path, policy: Path, key: bytes, head: Head | None) -> Checked:
    command = [sys.executable, "-m", "hokm", str(path), "--policy", str(policy), "--mine", key.hex(), "--json"]
    if head is not None:
        version, seen = head
        command += ["--head", f"{version}:{seen.hex()}"]
    verifier = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,  # a Ctrl-C is for the game
    )
    try:
        said, complaint = await verifier.communicate()
    except asyncio.CancelledError:
        verifier.kill()
        await verifier.wait()
        raise
    try:
        report = json.loads(said)
        fault = report["fault"]
        warnings = frozenset(warning["code"] for warning in report["warnings"])
        return Checked(path, report["verdict"], "" if fault is None else fault["sentence"], warnings)
    except (ValueError, KeyError, TypeError):
        raise VerifierFailed(complaint.decode(errors="replace").strip() or f"status {verifier.returncode}") from None
