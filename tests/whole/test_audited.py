# SPDX-License-Identifier: Apache-2.0
"""A server from outside: its log followed, its proofs rebuilt from its tiles, by programs that share only the site."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
from pathlib import Path

import httpx

from hokm.policy import Policy
from hokm.proof import Proof
from hokm.verify import Verdict, verify
from hokm_server.__main__ import main
from tests.auditor.witnesses import running
from tests.server.callers import visiting


async def run(folder: Path, *words: str) -> str:
    """What `hokm-audit` prints; it ends with 0."""
    command = [sys.executable, "-m", "hokm_audit", *words]
    program = await asyncio.create_subprocess_exec(
        *command, cwd=folder, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    said, complaints = await program.communicate()
    assert (program.returncode, complaints) == (0, b""), complaints.decode()
    return said.decode()


async def test_a_server_is_audited_from_its_site(tmp_path: Path) -> None:
    """With witnesses: all of it is followed and signed, and a proof is the one that the server makes."""
    var = tmp_path / "house"
    assert main(["keys", "create", "--var", str(var)]) == 0
    log = Policy.parse((var / "policy").read_bytes()).logs[0].vkey
    with contextlib.ExitStack() as programs:
        witness = programs.enter_context(running(tmp_path / "witness", log))
        line = f"witness one {witness.vkey.format()} {witness.url}"
        assert main(["keys", "policy", "--var", str(var), "--add", line, "--quorum", "one"]) == 0
        policy = ("--policy", str(var / "policy"))
        async with visiting(var) as visit:
            await visit.found.publisher.wait_witnessed(0)
            table = (await visit.seat_four()).hex()
            await visit.play_game()
            await visit.found.publisher.wait_witnessed(visit.found.log.integrate() - 1)
            url = f"http://127.0.0.1:{visit.found.web_port}"
            told = json.loads(await run(tmp_path, "follow", url, *policy, "--name", "auditor.example/1", "--json"))
            assert (told["faults"], told["signed"], told["place"]) == ([], True, told["size"])
            assert told["counts"]["games"] == 1
            await run(tmp_path, "fetch", url, *policy, "--table", table, "--out", "game.json")
            await run(tmp_path, "fetch", url, *policy, "--table", table, "--round", "1", "--out", "round.json")
            async with httpx.AsyncClient(trust_env=False) as http:
                served = Proof.parse((await http.get(f"{url}/proof/{table}")).content)
        trusted = Policy.parse((var / "policy").read_bytes())
    rebuilt = (tmp_path / "game.json").read_bytes()
    assert Proof.parse(rebuilt).entries == served.entries
    assert Proof.parse(rebuilt).manifests == served.manifests
    for name in ("game.json", "round.json"):
        report = verify((tmp_path / name).read_bytes(), trusted)
        assert report.verdict in (Verdict.VERIFIED, Verdict.WITH_WARNINGS), report.fault
