# SPDX-License-Identifier: Apache-2.0
"""The Node client, written from SPEC.md alone, plays at a real server, and hokm-verify believes the proofs it took."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from hokm.entry import parse_entry
from hokm.events import SignedMove, TimedOut
from hokm.proof import Proof
from hokm.v1 import tables_service_pb2 as pb
from hokm.wire import read_event
from tests.auditor.witnesses import witnessed_house
from tests.client.visits import Lies, Way, house_bots, liar
from tests.client.visits import house as house_in_process
from tests.foreign.conftest import House
from tests.foreign.node import Playing, needs_node, playing, run

pytestmark = needs_node

ACTS = {"CallMiddle", "PickUp", "LayEarly", "TakeBack", "Run", "AskTea", "Ready"}
"""By house rules, and for the client to make; some want the cards, the other seats, or time for it."""
MOST_GAMES = 6

PATIENT = {"turn_seconds": 60, "away_seconds": 0}
"""On a busy machine a program takes its time to start."""
HOUSE = ("--preset", "house", "--rules", json.dumps(PATIENT))


def test_its_own_tests_pass() -> None:
    """The examples of SPEC.md, computed by the other program, and what it keeps on disk."""
    assert "# fail 0" in run("--test", "--test-reporter=tap")


@pytest.mark.parametrize(
    ("seat", "rules"),
    [
        (0, {"target": 3}),
        (2, {"target": 3, "first_hakem": 2, "packets": 2, "open_first_packet": True, "hakem_passes": 2}),
    ],
    ids=["classic", "other rules"],
)
async def test_it_plays_a_game_and_its_proofs_verify(
    house: House, tmp_path: Path, seat: int, rules: dict[str, object]
) -> None:
    """What the program could not make itself, from the numbers that were revealed, would have ended it."""
    async with playing(house, tmp_path, "--seat", str(seat), "--rules", json.dumps(PATIENT | rules)) as player:
        said = await player.rest()
    proofs = sorted(tmp_path.glob("round-*.json"))
    assert len(proofs) == len(re.findall("^round ", said, re.MULTILINE)) > 0
    for proof in proofs:
        verify(house, proof, "--mine", player.key)
    check_game(house, tmp_path, player)


@pytest.mark.timeout(400)
async def test_it_plays_by_every_house_rule(house: House, tmp_path: Path) -> None:
    """Partner's middle, early cards, runs, tea: the acts are in the log, by its seat; and a slipper is thrown."""
    used: Counter[str] = Counter()
    for number in range(MOST_GAMES):
        out = tmp_path / str(number)
        async with playing(house, out, *HOUSE) as player:
            said = await player.rest()
        assert "thrown at seat 1" in said
        used += Counter(type(signed.move.act).__name__ for signed in check_game(house, out, player))
        if used.keys() >= ACTS:
            return
    pytest.fail(f"in {MOST_GAMES} games no {ACTS - used.keys()}")


async def test_it_comes_back_when_the_connection_is_lost(house: House, tmp_path: Path) -> None:
    """Cut in the middle of every round; nothing is lost, and nothing is done twice."""
    async with Way(house.address) as way, playing(house, tmp_path, *HOUSE, at=way.address) as player:
        cuts = 0
        while await player.until("something lands"):
            way.cut()
            cuts += 1
        said = await player.rest()
    assert cuts > 0
    assert said.count("trying again") > 0
    check_game(house, tmp_path, player)


async def test_it_goes_on_after_it_was_killed(house: House, tmp_path: Path) -> None:
    """The key, the numbers and the unanswered move are on its disk: it comes back to the same seat, twice."""
    keys = set()
    for _ in range(2):
        async with playing(house, tmp_path, *HOUSE) as player:
            assert await player.until("something lands")
            player.process.kill()
        keys.add(player.key)
    async with playing(house, tmp_path, *HOUSE) as player:
        await player.rest()
    assert keys == {player.key}
    check_game(house, tmp_path, player)


async def test_it_waits_for_witnesses(tmp_path: Path) -> None:
    """At a witnessed table it shows no number before the witnesses of its policy have seen the set."""
    with witnessed_house(tmp_path) as (var, _):
        async with house_in_process(var) as found, house_bots(found.address, var):
            await found.publisher.wait_witnessed(0)  # else the draw may come after a checkpoint that nobody has seen
            visited = House(found.address, var)
            async with playing(visited, tmp_path / "out", "--rules", '{"target": 3, "witnessed": true}') as player:
                await player.rest()
        check_game(visited, tmp_path / "out", player)


async def test_it_plays_no_cards_that_the_house_did_not_sign(house: House, tmp_path: Path) -> None:
    """A hand note with another card: it ends, keeps the note, and its protest is in the log."""

    def another_card(response: pb.PlayResponse) -> pb.PlayResponse:
        for update in response.updates:
            for hand in update.hands:
                hand.note = hand.note.replace(hand.note[-8:], bytes(8))
        return response

    async with liar(house.address, Lies(play=another_card)) as address, playing(house, tmp_path, at=address) as player:
        said = await player.rest(status=1)
    assert "a hand note is not signed by the house" in said
    assert "the protest is in the log" in said
    assert "a hand note is not signed by the house" in (tmp_path / "kept").read_text()


def check_game(house: House, out: Path, player: Playing) -> list[SignedMove]:
    """The game's proof holds, of this player and up to the last entry that it saw; the moves of its key."""
    report = verify(house, out / "game.json", "--mine", player.key, "--head", player.head)
    assert report["subject"]["seats"][player.seat] == {"kind": "person", "key": player.key}
    proof = Proof.parse((out / "game.json").read_bytes())
    contents = [read_event(parse_entry(entry).body).content for entry in proof.entries]
    assert not any(isinstance(said, TimedOut) for said in contents)
    return [said for said in contents if isinstance(said, SignedMove) and said.move.seat == player.seat]


def verify(house: House, proof: Path, *options: str) -> dict[str, Any]:
    """The report on a proof, which holds; nobody has cosigned, and that is all there is to warn of."""
    command = [sys.executable, "-m", "hokm", "--json", "--policy", str(house.policy), "--every-signature", *options]
    done = subprocess.run([*command, str(proof)], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads(done.stdout)
    warned = {warning["code"] for warning in report["warnings"]}
    assert warned <= {"NO_QUORUM", "NOT_WITNESSED", "TIMES_NOT_WITNESSED"}, report["warnings"]
    return dict(report)
