# SPDX-License-Identifier: Apache-2.0
"""A complaint is proved by what an honest house never signs, and by nothing that whoever complains can arrange."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hokm.__main__ import main
from hokm.checkpoint import Checkpoint, cosign, sign_checkpoint
from hokm.complaint import Judgement, Verdict, judge
from hokm.deal import deal, packets_of
from hokm.errors import BadEvidence
from hokm.events import CommitSetClosed, Dealt, GameEnded, RoundRevealed, ServerFault
from hokm.evidence import Evidence
from hokm.hand import HandNote, sign_hand, write_hand
from hokm.merkle import grow, leaf_hash, reading, root
from hokm.note import Note
from hokm.rules import Seat
from hokm.table import Round
from hokm.tiles import Tile, format_bundle
from hokm.verify import verify
from hokm.verify.retrace import retrace
from tests.simulation.forge import Forgery
from tests.simulation.game import Game
from tests.simulation.house import TestHouse
from tests.simulation.stories import story

PLAIN = story("plain")


def evidence_of(game: Game, kind: str = "FORGED_RULING", **exhibits: bytes) -> Evidence:
    """A game from its first entry to its last, and what is shown beside it."""
    return Evidence(
        kind=kind,
        proves=True,
        sentence="The house cheats!",
        origin=game.house.origin,
        table=game.id,
        version=0,
        seen_ms=0,
        manifests=tuple(entry for entry, _ in game.house.manifests),
        roots=tuple(root_.public for root_ in game.house.root_keys),
        entries=tuple(game.entries),
        exhibits=exhibits,
    )


def judged(evidence: Evidence, house: TestHouse = PLAIN.house) -> Judgement:
    return judge(Evidence.parse(evidence.format()), house.policy)


# An honest house.


@pytest.mark.parametrize("name", ["plain", "troubled", "lively", "revoked", "lost", "abandoned", "silent_bot"])
def test_an_honest_game_shows_nothing(name: str) -> None:
    """Whatever happened in it."""
    game = story(name)
    judgement = judged(evidence_of(game), game.house)
    assert judgement.verdict is Verdict.NOT_PROVED, judgement


GAMES = [story(name) for name in ("plain", "troubled", "lively", "revoked")]
HONEST = [entry for game in GAMES for entry in game.entries]
"""All that honest houses have ever signed."""
KEYS = [place.public_key for game in GAMES for place in game.table.places]
"""Of players, whom anybody may call root keys."""
_NAMES = ("entry", "other", "note", "note_signature", "other_signature", "checkpoint", "signed_act")


@st.composite
def complaints(draw: st.DrawFn) -> Evidence:
    """Honest entries left out, doubled, exchanged, cut off; and beside them whatever somebody may have."""
    game = draw(st.sampled_from(GAMES))
    whole = evidence_of(game)
    entries = list(whole.entries[: draw(st.integers(0, len(whole.entries)))])
    for _ in range(draw(st.integers(0, 2))):
        if entries:
            place = draw(st.integers(0, len(entries) - 1))
            match draw(st.sampled_from(("drop", "twice", "other"))):
                case "drop":
                    del entries[place]
                case "twice":
                    entries.insert(place, entries[place])
                case _:
                    entries[place] = draw(st.sampled_from(HONEST))
    things = st.sampled_from(HONEST) | st.sampled_from(NOTES) | st.sampled_from(CHECKPOINTS) | st.binary(max_size=80)
    return replace(
        whole,
        kind=draw(st.sampled_from(("TWO_ENTRIES", "BROKEN_PROMISE", "WRONG_HAND", "TWO_HEADS", "whatever"))),
        entries=tuple(entries),
        manifests=whole.manifests[: draw(st.integers(0, len(whole.manifests)))],
        roots=draw(st.just(whole.roots) | st.lists(st.sampled_from(KEYS), max_size=4).map(tuple)),
        exhibits=draw(st.dictionaries(st.sampled_from(_NAMES), things, max_size=4)),
    )


def _notes(game: Game) -> list[bytes]:
    """The hakem's first packets, as the house sends them, and their signatures."""
    found = []
    for event in game.events:
        if isinstance(event.content, Dealt):
            body = write_hand(honest_note(game, event.version))
            found += [body, sign_hand(body, game.event_key)]
    return found


def honest_note(game: Game, dealt: int) -> HandNote:
    """The hakem's first packet of the deal of that version."""
    traced = retrace(game.game_proof().format())
    stage = next(after.stage for _, event, after in traced.steps if event.version == dealt)
    assert isinstance(stage, Round)
    numbers = next(
        event.content.numbers for event in game.events[dealt:] if isinstance(event.content, RoundRevealed | ServerFault)
    )
    assert stage.ceremony.commit_set is not None
    packets = packets_of(deal(stage.ceremony.commit_set, numbers), stage.hakem, game.rules.packets)
    cards = packets[0][stage.hakem]
    return HandNote(stage.ceremony.ctx, stage.hakem, 1, tuple(cards), dealt, game.leaves[dealt])


NOTES = _notes(PLAIN)
CHECKPOINTS = [PLAIN.house.publish(size).encode() for size in (0, 10, 20, len(PLAIN.house.leaves))]


@given(complaints())
def test_whatever_is_made_of_what_an_honest_house_signed_proves_nothing(evidence: Evidence) -> None:
    """However it is cut, mixed and called."""
    judgement = judged(evidence, next(game.house for game in GAMES if game.id == evidence.table))
    assert judgement.verdict is not Verdict.PROVED, judgement


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.id.hex()[:12])
def test_a_root_key_that_no_manifest_names_is_nothing(game: Game) -> None:
    """A player's key that whoever complains calls one: neither evidence nor a proof is judged otherwise for it."""
    for key in [place.public_key for place in game.table.places]:
        judgement = judged(replace(evidence_of(game), roots=(*evidence_of(game).roots, key)), game.house)
        assert judgement.verdict is Verdict.NOT_PROVED, judgement
        proof = game.game_proof()
        named = replace(proof, roots=(*proof.roots, key))
        assert verify(named.format(), game.house.policy).verdict is verify(proof.format(), game.house.policy).verdict


# A house that cheats. (What clients catch is judged in their own tests, fraud by fraud.)


def test_two_entries_for_one_place() -> None:
    """Both signed."""
    forgery = Forgery(PLAIN)
    forgery.draft(CommitSetClosed).edit(commit_set=bytes(32))
    forged = forgery.write()
    version = next(at for at, one in enumerate(PLAIN.entries) if one != forged.entries[at])
    two = evidence_of(PLAIN, "TWO_ENTRIES", entry=forged.entries[version], other=PLAIN.entries[version])
    assert judged(two).verdict is Verdict.PROVED
    assert judged(replace(two, entries=())).verdict is Verdict.PROVED
    one = evidence_of(PLAIN, "TWO_ENTRIES", entry=forged.entries[version])
    assert judged(one).verdict is Verdict.PROVED  # the other is in the stream
    nobodys = bytearray(forged.entries[version])
    nobodys[-1] ^= 1
    assert judged(evidence_of(PLAIN, "TWO_ENTRIES", entry=bytes(nobodys))).verdict is Verdict.NOT_PROVED


def test_an_entry_that_does_not_follow() -> None:
    """The code of the verification, and the version."""
    forgery = Forgery(PLAIN)
    forgery.draft(GameEnded).edit(winner=1)
    forged = forgery.write()
    judgement = judged(evidence_of(forged), forged.house)
    assert (judgement.verdict, judgement.version) == (Verdict.PROVED, len(forged.entries) - 1)
    assert judgement.code is not None


def note_exhibits(game: Game, note: HandNote, name: str = "note") -> dict[str, bytes]:
    body = write_hand(note)
    return {name: body, f"{name}_signature": sign_hand(body, game.event_key)}


def test_hand_notes() -> None:
    """One that the numbers contradict, one for another entry, two that contradict each other."""
    dealt = next(event.version for event in PLAIN.events if isinstance(event.content, Dealt))
    note = honest_note(PLAIN, dealt)
    true = evidence_of(PLAIN, "WRONG_HAND", **note_exhibits(PLAIN, note))
    assert judged(true).verdict is Verdict.NOT_PROVED
    swapped = replace(note, cards=note.cards[::-1])
    assert judged(replace(true, exhibits=note_exhibits(PLAIN, swapped))).verdict is Verdict.PROVED
    early = replace(true, entries=true.entries[: dealt + 1], exhibits=note_exhibits(PLAIN, swapped))
    assert judged(early).verdict is Verdict.OPEN
    elsewhere = replace(note, leaf=bytes(32))
    assert judged(replace(true, exhibits=note_exhibits(PLAIN, elsewhere))).verdict is Verdict.PROVED
    other_packet = replace(note, version=dealt - 1, leaf=PLAIN.leaves[dealt - 1])
    assert judged(replace(true, exhibits=note_exhibits(PLAIN, other_packet))).verdict is Verdict.PROVED
    both = note_exhibits(PLAIN, note) | note_exhibits(PLAIN, swapped, "other")
    assert judged(replace(true, entries=(), exhibits=both)).verdict is Verdict.PROVED
    same_card = replace(note, seat=Seat((note.seat + 1) % 4))
    both = note_exhibits(PLAIN, note) | note_exhibits(PLAIN, same_card, "other")
    assert judged(replace(true, entries=(), exhibits=both)).verdict is Verdict.PROVED
    unsigned = note_exhibits(PLAIN, swapped) | {"note_signature": bytes(64)}
    assert judged(replace(true, exhibits=unsigned)).verdict is Verdict.NOT_PROVED


def test_two_heads() -> None:
    """Two roots for one size; sizes that differ show nothing by themselves."""
    house = PLAIN.house
    whole = house.checkpoint(20)
    other = sign_checkpoint(replace(whole, root=bytes(32)), house.log_key).format()
    for pair, verdict in (
        ({"checkpoint": CHECKPOINTS[2], "other": other}, Verdict.PROVED),
        ({"checkpoint": CHECKPOINTS[2], "other": CHECKPOINTS[2]}, Verdict.NOT_PROVED),
        ({"checkpoint": CHECKPOINTS[2]}, Verdict.NOT_PROVED),
        ({"checkpoint": CHECKPOINTS[2], "other": CHECKPOINTS[1]}, Verdict.OPEN),
        ({"checkpoint": CHECKPOINTS[2], "other": other.replace(b"\n20\n", b"\n10\n")}, Verdict.NOT_PROVED),
    ):
        assert judged(evidence_of(PLAIN, "TWO_HEADS", **pair)).verdict is verdict
    empty = sign_checkpoint(Checkpoint(house.origin, 0, bytes(32)), house.log_key).format()
    assert judged(evidence_of(PLAIN, "BAD_CHECKPOINT", checkpoint=empty)).verdict is Verdict.PROVED


# A promise.


class Tiled:
    """A log of these entries as files, and its checkpoint as witnesses saw it."""

    def __init__(self, house: TestHouse, entries: list[bytes], seen_ms: int, cosigners: int = 3) -> None:
        leaves = [leaf_hash(entry) for entry in entries]
        self._entries = entries
        self._read = reading(grow(0, leaves, reading({})))
        checkpoint = Checkpoint(house.origin, len(entries), root(leaves))
        signed = sign_checkpoint(checkpoint, house.log_key)
        seen = tuple(cosign(checkpoint, name, key, seen_ms // 1000) for name, key in house.witnesses[:cosigners])
        self.checkpoint = Note(signed.text, signed.signatures + seen).format()

    def fetch(self, path: str) -> bytes:
        tile = Tile.parse(path)
        places = range(256 * tile.index, 256 * tile.index + tile.width)
        if tile.level is None:
            return format_bundle(self._entries[place] for place in places)
        return b"".join(self._read(8 * tile.level, place) for place in places)


OTHERS = [b"entry %d of other tables" % number for number in range(299)] + PLAIN.entries[-1:]
"""The last one is minutes younger than the one that was promised."""
PROMISED = PLAIN.entries[40]
SIGNED_MS = PLAIN.events[40].time_ms
PROMISE = evidence_of(PLAIN, "BROKEN_PROMISE", entry=PROMISED)


def promise(tiled: Tiled) -> Judgement:
    evidence = replace(PROMISE, exhibits={"entry": PROMISED, "checkpoint": tiled.checkpoint})
    return judge(evidence, PLAIN.house.policy, tiled.fetch)


def test_a_promised_entry_that_a_later_log_does_not_hold() -> None:
    """Every leaf is made again; what witnesses saw too early, or too few of them, shows nothing."""
    house, late = PLAIN.house, SIGNED_MS + 71_000
    assert promise(Tiled(house, OTHERS, late)).verdict is Verdict.PROVED
    found = promise(Tiled(house, [*OTHERS, PROMISED], late))
    assert (found.verdict, found.sentence) == (Verdict.NOT_PROVED, "The entry is in the log, at place 300.")
    assert promise(Tiled(house, OTHERS, SIGNED_MS + 69_000)).verdict is Verdict.NOT_PROVED
    assert promise(Tiled(house, OTHERS, late, cosigners=1)).verdict is Verdict.NOT_PROVED
    assert judged(PROMISE).verdict is Verdict.OPEN
    without_tiles = replace(PROMISE, exhibits={"entry": PROMISED, "checkpoint": Tiled(house, OTHERS, late).checkpoint})
    assert judged(without_tiles).verdict is Verdict.OPEN


def test_an_old_checkpoint_that_witnesses_saw_again_shows_nothing() -> None:
    """Whoever asks a witness has it cosign the latest that it knows once more; the house may be down meanwhile."""
    before = PLAIN.entries[:40]
    again = promise(Tiled(PLAIN.house, before, SIGNED_MS + 3_600_000))
    assert (again.verdict, again.version) == (Verdict.OPEN, None)
    assert promise(Tiled(PLAIN.house, [b"no entry"], SIGNED_MS + 3_600_000)).verdict is Verdict.OPEN
    assert promise(Tiled(PLAIN.house, [], SIGNED_MS + 3_600_000)).verdict is Verdict.OPEN


def test_tiles_that_are_not_of_the_checkpoint() -> None:
    """An entry left out of a bundle is no proof against the house."""
    tiled = Tiled(PLAIN.house, [PROMISED, *OTHERS], SIGNED_MS + 71_000)
    lying = Tiled(PLAIN.house, [b"something else", *OTHERS], SIGNED_MS + 71_000)
    lying.checkpoint = tiled.checkpoint
    judgement = promise(lying)
    assert judgement.verdict is Verdict.NOT_PROVED
    assert "tile/" in judgement.sentence


# The file and the program.


@pytest.mark.parametrize(
    "change",
    [
        {"format": "hokm/v2/evidence"},
        {"proves": 1},
        {"table": "00"},
        {"entries": ["QUJD"]},
        {"roots": ["QUJD"]},
        {"exhibits": []},
        {"exhibits": {str(name): "QUJD" for name in range(9)}},
        {"colour": "red"},
    ],
)
def test_what_is_no_evidence(change: Mapping[str, object]) -> None:
    """One sentence."""
    octets = json.dumps(json.loads(PROMISE.format()) | change).encode()
    with pytest.raises(BadEvidence):
        Evidence.parse(octets)


def test_a_file_of_another_kind_is_called_so() -> None:
    """A proof is no evidence, and that is all that is said."""
    with pytest.raises(BadEvidence, match="its format is 'hokm/v1/proof'"):
        Evidence.parse(PLAIN.round_proof(1).format())


def test_the_program(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Proved, not proved, open, unreadable: four exit statuses; and the tiles of a directory."""
    monkeypatch.chdir(tmp_path)
    Path("policy").write_bytes(PLAIN.house.policy.format())
    Path("promise.json").write_bytes(PROMISE.format())
    Path("text.json").write_bytes(b"He cheats!\n")
    tiled = Tiled(PLAIN.house, OTHERS, SIGNED_MS + 71_000)
    for path in ("tile/0/000", "tile/0/001.p/44", "tile/1/000.p/1", "tile/entries/000", "tile/entries/001.p/44"):
        file = Path("log", path)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(tiled.fetch(path))
    Path("log/checkpoint").write_bytes(tiled.checkpoint)
    asked = ["evidence", "promise.json", "--policy", "policy"]
    assert main(asked) == 3
    assert "CANNOT BE SAID" in capsys.readouterr().out
    assert main([*asked, "--tiles", "log"]) == 0
    assert capsys.readouterr().out.endswith("PROVED\n")
    assert main([*asked, "--tiles", "log", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["verdict"] == "PROVED"
    Path("log/tile/1/000.p/1").unlink()
    assert main([*asked, "--tiles", "log"]) == 2
    assert main(["evidence", "text.json", "--policy", "policy"]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 2
    Path("honest.json").write_bytes(evidence_of(PLAIN).format())
    assert main(["evidence", "honest.json", "--policy", "policy"]) == 1
