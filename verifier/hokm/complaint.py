# SPDX-License-Identifier: Apache-2.0
"""Whether evidence shows to a stranger what it says that a house did.

Whoever complains chooses what to show and what to leave out. So only what a house that keeps the rules could never
have signed counts, whatever else it signed:

    two entries for one place, two hand notes for one packet, two checkpoints of one size
    entries from the first on, each naming the one before, of which one does not follow by the rules
    a hand note beside entries that make another one
    a checkpoint whose tree goes on long after an entry was signed, and does not hold that entry

Everything is checked anew, from the keys of the policy on; what the file says of itself is not asked.
"""

from __future__ import annotations

import itertools
from enum import StrEnum
from typing import Final, NamedTuple

from hokm.checkpoint import Checkpoint
from hokm.deal import deal, packets_of
from hokm.entry import leaf, parse_entry, signed_by
from hokm.errors import HokmError
from hokm.events import Dealt, Event, RoundRevealed, ServerFault
from hokm.evidence import Evidence
from hokm.hand import HandNote, hand_signed_by, read_hand
from hokm.keys import check_manifests
from hokm.merkle import EMPTY_ROOT
from hokm.note import Note
from hokm.policy import Endorsed, Policy
from hokm.proof import ManifestProof, Proof, ProofKind
from hokm.table import Round, Table
from hokm.tiles import TILE_WIDTH, Fetch, TiledTree
from hokm.verify.codes import Code
from hokm.verify.ground import vouch_for_house
from hokm.verify.reading import read_unlogged
from hokm.verify.report import Refused
from hokm.verify.retrace import Retraced, walk_unlogged
from hokm.verify.wishes import Signatures
from hokm.wire import read_event

PROMISE_MS: Final = 10_000
"""An entry is in the published log so soon after it was signed."""
CLOCKS_MS: Final = 60_000
"""By how much the house's clock may differ from those of the witnesses."""


class Verdict(StrEnum):
    """What a complaint comes to."""

    PROVED = "PROVED"
    """No house that keeps the rules signs this."""
    NOT_PROVED = "NOT PROVED"
    """It shows nothing against the house."""
    OPEN = "CANNOT BE SAID"
    """Something is missing that would decide it."""


class Judgement(NamedTuple):
    """The verdict, and why."""

    verdict: Verdict
    sentence: str
    code: str | None = None
    """Of the verification, where an entry does not follow from those before it."""
    version: int | None = None
    """Of that entry."""


def judge(evidence: Evidence, policy: Policy, fetch: Fetch | None = None) -> Judgement:
    """Judge it by what a reader trusts; `fetch` gives the tiles of a log that is said not to hold an entry.

    Raises what `fetch` raises.
    """
    exhibits = evidence.exhibits
    try:
        if "checkpoint" in exhibits and "entry" not in exhibits:
            return _checkpoints(evidence, policy)
        house = HouseKeys(evidence, policy)
        if "note" in exhibits:
            return _notes(evidence, house, policy)
        if (two := _two_entries(evidence, house)) is not None:
            return two
        if "checkpoint" in exhibits:
            return _promise(evidence, house, policy, fetch)
        if evidence.kind == "BROKEN_PROMISE":
            return Judgement(Verdict.OPEN, "A checkpoint is wanted whose tree should hold the entry.")
        return _entries(evidence, house, policy)
    except _NotShown as shown:
        return shown.judgement
    except HokmError as error:
        return Judgement(Verdict.NOT_PROVED, str(error))


class _NotShown(Exception):
    """It is not to be judged any further."""

    def __init__(self, verdict: Verdict, sentence: str) -> None:
        super().__init__(sentence)
        self.judgement = Judgement(verdict, sentence)


class HouseKeys:
    """The keys that the policy's root vouches for."""

    def __init__(self, evidence: Evidence, policy: Policy) -> None:
        """Raises `UnknownLog`, and what `check_manifests` raises."""
        root = policy.root_key(evidence.origin)
        self.manifests = check_manifests(evidence.manifests, root, evidence.roots)

    def event(self, octets: bytes) -> Event:
        """What an entry says that the house signed. Raises `_NotShown`, and what reading raises."""
        entry = parse_entry(octets)
        if not any(signed_by(entry, house.event_key, house.event_key_id) for house in self.manifests):
            raise _NotShown(Verdict.NOT_PROVED, "The house did not sign the entry that is shown.")
        return read_event(entry.body)

    def note(self, evidence: Evidence, name: str) -> HandNote:
        """What a hand note says that the house signed. Raises `_NotShown`, and what reading raises."""
        body, signature = evidence.exhibits[name], evidence.exhibits.get(f"{name}_signature", b"")
        if not any(hand_signed_by(body, signature, house.event_key) for house in self.manifests):
            raise _NotShown(Verdict.NOT_PROVED, "The house did not sign the hand note that is shown.")
        return read_hand(body)


# Two things of which there can be one.


def _checkpoints(evidence: Evidence, policy: Policy) -> Judgement:
    one = _endorsed(evidence.exhibits["checkpoint"], evidence, policy).checkpoint
    if one.size == 0 and one.root != EMPTY_ROOT:
        return Judgement(Verdict.PROVED, "The log signed an empty tree with a root that no empty tree has.")
    if "other" not in evidence.exhibits:
        return Judgement(Verdict.NOT_PROVED, "One checkpoint alone contradicts nothing.")
    two = _endorsed(evidence.exhibits["other"], evidence, policy).checkpoint
    if one.size != two.size:
        sentence = f"Trees of {two.size} and {one.size} entries may be one log: only their tiles could show otherwise."
        return Judgement(Verdict.OPEN, sentence)
    if one.root == two.root:
        return Judgement(Verdict.NOT_PROVED, "The two checkpoints say the same.")
    return Judgement(Verdict.PROVED, f"The log signed two different trees of {one.size} entries.")


def _endorsed(octets: bytes, evidence: Evidence, policy: Policy) -> Endorsed:
    endorsed = policy.endorse(Note.parse(octets))
    if endorsed.checkpoint.origin != evidence.origin:
        raise _NotShown(Verdict.NOT_PROVED, "The checkpoint is of another log than the evidence.")
    return endorsed


def _two_entries(evidence: Evidence, house: HouseKeys) -> Judgement | None:
    """Two entries for one place among all that are shown; None where there are no such two."""
    shown = [evidence.exhibits[name] for name in ("entry", "other") if name in evidence.exhibits]
    placed = [(_place(house.event(octets)), octets) for octets in shown]
    for (table, version), _ in tuple(placed):
        if table == evidence.table and version < len(evidence.entries):
            there = evidence.entries[version]
            placed.append((_place(house.event(there)), there))
    for (place, one), (other_place, two) in itertools.combinations(placed, 2):
        if place == other_place and one != two:
            return Judgement(Verdict.PROVED, f"The house signed two entries for version {place[1]}.", version=place[1])
    return None


def _place(event: Event) -> tuple[bytes, int]:
    return event.table, event.version


# A stream.


def _stream(evidence: Evidence, policy: Policy, entries: tuple[bytes, ...]) -> Judgement | Retraced:
    """What the entries from the first on make, or, where they do not follow from one another, what that shows.

    Where they are not a stream from its first entry on, each signed, there is nothing to be shown: raises `_NotShown`.
    """
    if not entries:
        raise _NotShown(Verdict.NOT_PROVED, "There are no entries.")
    proof = Proof(
        kind=ProofKind.GAME,
        origin=evidence.origin,
        table=evidence.table,
        round=None,
        manifests=tuple(ManifestProof(entry, 0, ()) for entry in evidence.manifests),
        roots=evidence.roots,
        opening=(),
        first_version=0,
        entries=entries,
        inclusion=(),
        anchors=(),
        checkpoint="",
    )
    try:
        reading = read_unlogged(proof)
        manifest, _, _ = vouch_for_house(reading, policy, Signatures.ALL)
    except Refused as refused:
        raise _NotShown(Verdict.NOT_PROVED, f"{refused.finding.where}{refused.finding.sentence}") from None
    try:
        return walk_unlogged(reading, manifest, Signatures.ALL, policy.root_key(evidence.origin).public_key)
    except Refused as refused:
        found = refused.finding
        if found.code in _LEFT_OUT:
            raise _NotShown(Verdict.NOT_PROVED, f"{found.where}{found.sentence}") from None
        return Judgement(Verdict.PROVED, f"{found.where}{found.sentence}", found.code, found.version)


_LEFT_OUT: Final = frozenset({Code.VERSION_GAP.name, Code.OTHER_TABLE.name, Code.NOT_THE_BEGINNING.name})
"""What whoever complains can bring about by showing less, or something else."""


def _with_entry(evidence: Evidence, house: HouseKeys) -> tuple[bytes, ...]:
    """The entries, and behind them the one that is shown, if it stands there."""
    if "entry" not in evidence.exhibits:
        return evidence.entries
    event = house.event(evidence.exhibits["entry"])
    if (event.table, event.version) != (evidence.table, len(evidence.entries)):
        return evidence.entries
    return (*evidence.entries, evidence.exhibits["entry"])


def _entries(evidence: Evidence, house: HouseKeys, policy: Policy) -> Judgement:
    entries = _with_entry(evidence, house)
    made = _stream(evidence, policy, entries)
    if isinstance(made, Judgement):
        return made
    return Judgement(Verdict.NOT_PROVED, f"All {len(entries)} entries follow from one another by the rules.")


# Hand notes.


def _notes(evidence: Evidence, house: HouseKeys, policy: Policy) -> Judgement:
    note = house.note(evidence, "note")
    if "other" in evidence.exhibits:
        return _two_notes(evidence, note, house.note(evidence, "other"))
    made = _stream(evidence, policy, _with_entry(evidence, house))
    return made if isinstance(made, Judgement) else _note_beside(made, note)


def _two_notes(evidence: Evidence, note: HandNote, other: HandNote) -> Judgement:
    if note.ctx != other.ctx:
        return Judgement(Verdict.NOT_PROVED, "The two hand notes are of two deals.")
    same_place = (note.seat, note.packet) == (other.seat, other.packet)
    if same_place and evidence.exhibits["note"] != evidence.exhibits["other"]:
        sentence = f"The house signed two hand notes for packet {note.packet} of seat {note.seat}."
        return Judgement(Verdict.PROVED, sentence)
    if not same_place and set(note.cards) & set(other.cards):
        return Judgement(Verdict.PROVED, "The house signed one card into two packets of one deal.")
    return Judgement(Verdict.NOT_PROVED, "The two hand notes do not contradict each other.")


def _note_beside(made: Retraced, note: HandNote) -> Judgement:
    """Hold a note against the entries of its deal."""
    entries = made.reading.proof.entries
    if note.version < len(entries) and leaf(entries[note.version]) != note.leaf:
        sentence = f"The hand note names another entry {note.version} than the one that the house signed."
        return Judgement(Verdict.PROVED, sentence, version=note.version)
    dealt = next((step for step in made.steps if _deals(step[1], step[2], note.ctx)), None)
    if dealt is None:
        return Judgement(Verdict.OPEN, "The entries that are shown do not reach the deal of the hand note.")
    _, event, table = dealt
    assert isinstance(table.stage, Round)
    if len(note.cards) != table.rules.packets.sizes[note.packet - 1]:
        return Judgement(Verdict.PROVED, "The hand note has another count of cards than the packet.")
    first = note.packet == 1 and (table.rules.open_first_packet or table.stage.hakem == note.seat)
    if note.version < len(entries) and note.version != (event.version if first else _trumps_at(made, event.version)):
        sentence = f"Entry {note.version} does not release the packet of the hand note."
        return Judgement(Verdict.PROVED, sentence, version=note.version)
    numbers = _numbers(made, event.version)
    if not numbers:
        return Judgement(Verdict.OPEN, "The entries that are shown do not reach the numbers of the deal.")
    assert table.stage.ceremony.commit_set is not None
    packets = packets_of(deal(table.stage.ceremony.commit_set, numbers), table.stage.hakem, table.rules.packets)
    if note.cards != packets[note.packet - 1][note.seat]:
        sentence = f"Packet {note.packet} of seat {note.seat} is not what the revealed numbers deal."
        return Judgement(Verdict.PROVED, sentence)
    return Judgement(Verdict.NOT_PROVED, "The hand note is what the revealed numbers deal.")


def _deals(event: Event, after: Table, ctx: bytes) -> bool:
    return isinstance(event.content, Dealt) and isinstance(after.stage, Round) and after.stage.ceremony.ctx == ctx


def _trumps_at(made: Retraced, dealt: int) -> int | None:
    """The version that makes trumps in the round dealt there; None where they are not made in what is shown."""
    for _, event, after in made.steps:
        if event.version > dealt and isinstance(after.stage, Round) and after.stage.trump is not None:
            return event.version
    return None


def _numbers(made: Retraced, dealt: int) -> tuple[bytes, ...]:
    for event in made.reading.after(dealt):
        if isinstance(event.content, RoundRevealed | ServerFault):
            return event.content.numbers
    return ()


# A promise.


def _promise(evidence: Evidence, house: HouseKeys, policy: Policy, fetch: Fetch | None) -> Judgement:
    """An entry, and a checkpoint that was seen when the log had to hold it."""
    promised = evidence.exhibits["entry"]
    event = house.event(promised)
    endorsed = _endorsed(evidence.exhibits["checkpoint"], evidence, policy)
    if policy.quorum is None:
        return Judgement(Verdict.OPEN, "The policy has no quorum: nobody but the house says when the log was so.")
    late_ms = event.time_ms + PROMISE_MS + CLOCKS_MS
    saw = [seen.witness for seen in endorsed.cosignatures if 1000 * seen.time >= late_ms]
    if not policy.is_met_by(saw):
        sentence = "No quorum of witnesses saw the checkpoint so late that the entry had to be in it."
        return Judgement(Verdict.NOT_PROVED, sentence)
    if fetch is None:
        return Judgement(Verdict.OPEN, "The tiles of the checkpoint are wanted: name them with --tiles DIR.")
    log = _Entries(endorsed.checkpoint, fetch)
    place = log.place_of(promised)
    if place is not None:
        return Judgement(Verdict.NOT_PROVED, f"The entry is in the log, at place {place}.")
    if not log.reaches(late_ms):
        sentence = "The checkpoint may be an older one that witnesses saw once more: none of its entries is so late."
        return Judgement(Verdict.OPEN, sentence)
    sentence = (
        f"Entry {event.version} was signed and is none of the {log.size} that the log held, and witnesses saw, later."
    )
    return Judgement(Verdict.PROVED, sentence, version=event.version)


class _Entries:
    """All entries of a tree: every leaf is made again from its entry, and all together make the root."""

    def __init__(self, checkpoint: Checkpoint, fetch: Fetch) -> None:
        self.size = checkpoint.size
        self._tree = TiledTree(checkpoint.size, checkpoint.root, fetch)
        self._bundles = range(-(-checkpoint.size // TILE_WIDTH))

    def place_of(self, wanted: bytes) -> int | None:
        """Where the entry stands; None where it does not."""
        for index in self._bundles:
            entries = self._tree.bundle(index)
            if wanted in entries:
                return TILE_WIDTH * index + entries.index(wanted)
        return None

    def reaches(self, time_ms: int) -> bool:
        """Whether any of them says that it is of that time or later. The last ones are looked at first."""
        entries = (entry for index in reversed(self._bundles) for entry in self._tree.bundle(index))
        return any(_time_of(entry) >= time_ms for entry in entries)


def _time_of(entry: bytes) -> int:
    """When an entry says that it was signed; 0 where it says nothing."""
    try:
        return read_event(parse_entry(entry).body).time_ms
    except HokmError:
        return 0
