# SPDX-License-Identifier: Apache-2.0
"""A trust policy: whose word a reader takes, and how many witnesses it wants (C2SP tlog-policy).

A file of lines, each ended by a newline, items separated by spaces and tabs, in any order but that a name is
defined before it is used::

    log <vkey> [<url>]                    a log, its key (type 01) named by its origin
    witness <name> <vkey> [<url>]         a witness (type 04)
    group <name> <k> <name>...            met when k of the names are; k may be `any` (1) or `all`
    quorum <name>                         what a checkpoint must have: exactly one such line; `none` for nothing
    # ...                                 a comment
    #root <vkey>                          a comment to other tools, and here the offline key (type 01, named
                                          <origin>/root) that signs the manifests of a log: one for each log

Not allowed, besides: two logs with one key, two witnesses with one key, a root key that is also another's; a name
defined twice, or in two groups, or `none` as a member. Octets from 80 up may stand in names, URLs and comments
and mean nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Self

from hokm.checkpoint import Checkpoint, Cosignature, verify_checkpoint, verify_cosignatures
from hokm.errors import BadPolicy, BadVKey, UnknownLog
from hokm.notation import is_origin, read_decimal
from hokm.note import Note
from hokm.signing import SignatureType, VKey

MOST_BYTES = 1_000_000

_NONE = "none"
_NOT_IN_FILES = re.compile(rb"[^\t\n -~\x80-\xff]")
_SPACES = re.compile(r"[ \t]+")


@dataclass(frozen=True, slots=True)
class Log:
    """A log whose checkpoints are taken."""

    vkey: VKey
    """Its name is the origin."""
    url: str | None = None


@dataclass(frozen=True, slots=True)
class Witness:
    """A witness whose cosignature counts."""

    name: str
    """Its name in this policy, not that of its key."""
    vkey: VKey
    url: str | None = None


@dataclass(frozen=True, slots=True)
class Group:
    """Names of witnesses and earlier groups; met when at least `threshold` of them are."""

    name: str
    threshold: int
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Endorsed:
    """A checkpoint signed by a log of the policy, with what its witnesses say."""

    checkpoint: Checkpoint
    cosignatures: tuple[Cosignature, ...]
    quorum_met: bool
    """True also where the policy wants none."""


@dataclass(frozen=True, slots=True)
class Policy:
    """Logs, their roots, witnesses and the quorum. One that was parsed keeps all the rules above."""

    logs: tuple[Log, ...]
    roots: tuple[VKey, ...]
    witnesses: tuple[Witness, ...]
    groups: tuple[Group, ...]
    """In an order in which each comes after its members."""
    quorum: str | None
    """The name of a witness or group; None where no cosignature is wanted."""

    @classmethod
    def parse(cls, octets: bytes) -> Self:
        """Read a policy file, of at most `MOST_BYTES`. Raises `BadPolicy` with the line, or 0 for the whole."""
        if len(octets) > MOST_BYTES:
            raise BadPolicy(0, f"it has more than {MOST_BYTES} bytes")
        *lines, rest = octets.split(b"\n")
        if rest:
            raise BadPolicy(len(lines) + 1, "the line does not end with a newline")
        draft = _Draft()
        for number, line in enumerate(lines, 1):
            try:
                draft.take(line)
            except _Fault as fault:
                raise BadPolicy(number, str(fault)) from None
        try:
            draft.close()
        except _Fault as fault:
            raise BadPolicy(0, str(fault)) from None
        quorum = None if draft.quorum == _NONE else draft.quorum
        return cls(tuple(draft.logs), tuple(draft.roots), tuple(draft.witnesses), tuple(draft.groups), quorum)

    def format(self) -> bytes:
        """A file that `parse` reads as this policy."""
        lines = [
            *(("log", log.vkey.format(), log.url) for log in self.logs),
            *(("#root", vkey.format()) for vkey in self.roots),
            *(("witness", seen.name, seen.vkey.format(), seen.url) for seen in self.witnesses),
            *(("group", group.name, str(group.threshold), *group.members) for group in self.groups),
            ("quorum", self.quorum or _NONE),
        ]
        text = "".join(" ".join(item for item in line if item is not None) + "\n" for line in lines)
        return text.encode(errors="surrogateescape")

    def root_key(self, origin: str) -> VKey:
        """The key that signs the manifests of this log. Raises `UnknownLog`."""
        for vkey in self.roots:
            if vkey.name == root_name(origin):
                return vkey
        raise UnknownLog(origin)

    def is_met_by(self, cosigners: Iterable[VKey]) -> bool:
        """Whether the quorum is met by these witnesses, whose cosignatures were verified."""
        if self.quorum is None:
            return True
        keys = {vkey.public_key for vkey in cosigners}
        met = {witness.name for witness in self.witnesses if witness.vkey.public_key in keys}
        for group in self.groups:
            if len(met.intersection(group.members)) >= group.threshold:
                met.add(group.name)
        return self.quorum in met

    def endorse(self, note: Note) -> Endorsed:
        """Read a signed checkpoint by this policy.

        Raises `BadCheckpoint`; `UnknownLog`; `NotSigned` if the log did not sign it; `BadSignature` if a
        signature of the log or of a witness does not verify. A quorum that is not met is no error.
        """
        origin = Checkpoint.parse(note.text).origin
        keys = [log.vkey for log in self.logs if log.vkey.name == origin]
        if not keys:
            raise UnknownLog(origin)
        checkpoint = verify_checkpoint(note, keys)
        cosignatures = verify_cosignatures(note, [witness.vkey for witness in self.witnesses])
        return Endorsed(checkpoint, cosignatures, self.is_met_by(seen.witness for seen in cosignatures))


def root_name(origin: str) -> str:
    """The name of the root key of a log."""
    return origin + "/root"


class _Fault(Exception):
    """What is wrong with the line at hand."""


@dataclass(slots=True)
class _Draft:
    """A policy while its lines are read."""

    logs: list[Log] = field(default_factory=list)
    roots: list[VKey] = field(default_factory=list)
    witnesses: list[Witness] = field(default_factory=list)
    groups: list[Group] = field(default_factory=list)
    quorum: str | None = None
    free: dict[str, bool] = field(default_factory=dict)
    """The names defined so far, each with whether it is in no group yet."""

    def take(self, line: bytes) -> None:
        if _NOT_IN_FILES.search(line):
            raise _Fault("it holds a control character")
        text = line.decode(errors="surrogateescape").strip(" \t")
        match _SPACES.split(text) if text else []:
            case []:
                pass
            case ["#root", vkey]:
                self.roots.append(_vkey(vkey, SignatureType.ED25519))
            case ["#root", *_]:
                raise _Fault("it is not `#root <vkey>`")
            case [word, *_] if word.startswith("#"):
                pass
            case ["log", vkey, *url] if len(url) <= 1:
                self.take_log(Log(_vkey(vkey, SignatureType.ED25519), *url))
            case ["witness", name, vkey, *url] if len(url) <= 1:
                self.take_witness(Witness(name, _vkey(vkey, SignatureType.COSIGNATURE), *url))
            case ["group", name, threshold, first, *others]:
                self.take_group(name, threshold, (first, *others))
            case ["quorum", name]:
                self.take_quorum(name)
            case _:
                raise _Fault("it is none of the lines of a policy")

    def take_log(self, log: Log) -> None:
        if not is_origin(log.vkey.name):
            raise _Fault("the name of a log's key is not an origin")
        if any(log.vkey.public_key == other.vkey.public_key for other in self.logs):
            raise _Fault("another log has the same key")
        self.logs.append(log)

    def take_witness(self, witness: Witness) -> None:
        if any(witness.vkey.public_key == other.vkey.public_key for other in self.witnesses):
            raise _Fault("another witness has the same key")
        self.define(witness.name)
        self.witnesses.append(witness)

    def take_group(self, name: str, threshold: str, members: tuple[str, ...]) -> None:
        match threshold:
            case "any":
                count: int | None = 1
            case "all":
                count = len(members)
            case _:
                count = read_decimal(threshold)
        if count is None or not 1 <= count <= len(members):
            raise _Fault("the threshold is not a number from 1 to that of the members")
        for member in members:
            if not self.free.get(member, False):
                raise _Fault("a member is not defined above, or is in a group already")
            self.free[member] = False
        self.define(name)
        self.groups.append(Group(name, count, members))

    def take_quorum(self, name: str) -> None:
        if self.quorum is not None:
            raise _Fault("there is a quorum already")
        if name != _NONE and name not in self.free:
            raise _Fault("the quorum is not defined above")
        self.quorum = name

    def define(self, name: str) -> None:
        if name == _NONE or name in self.free:
            raise _Fault("the name is taken")
        self.free[name] = True

    def close(self) -> None:
        if self.quorum is None:
            raise _Fault("there is no quorum line")
        names = [vkey.name for vkey in self.roots]
        origins = {log.vkey.name for log in self.logs}
        if sorted(names) != sorted(map(root_name, origins)):
            raise _Fault("there is not exactly one #root line, named <origin>/root, for each log")
        keys = [vkey.public_key for vkey in self.roots]
        others = {log.vkey.public_key for log in self.logs} | {seen.vkey.public_key for seen in self.witnesses}
        if len(set(keys)) < len(keys) or not others.isdisjoint(keys):
            raise _Fault("a root key is used for something else too")


def _vkey(text: str, wanted: SignatureType) -> VKey:
    try:
        vkey = VKey.parse(text)
    except BadVKey as error:
        raise _Fault(f"the key is malformed: {error.what}") from None
    if vkey.signature_type is not wanted:
        raise _Fault(f"the key has signature type {vkey.signature_type:02x}, not {wanted:02x}")
    return vkey
