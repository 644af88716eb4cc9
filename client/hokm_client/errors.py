# SPDX-License-Identifier: Apache-2.0
"""What can be wrong on the client's side: its own files, the way to the server, and what the server says.

These join the one tree of `hokm.errors`. What a server refuses comes over the wire as a reason with facts; `refusal`
makes the very error of it that was raised there. A server that contradicts itself is another matter: see `fraud`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

from hokm.errors import (
    Busy,
    Conflict,
    HokmError,
    Malformed,
    NotSignedIn,
    NotYourSeat,
    Rule,
    Unknown,
    is_shared,
    reason_of,
)

# Files of the player.


class IdentityExists(Conflict):
    """An identity is made once and never written over."""

    path: str
    sentence = "There is an identity in {path} already; nothing was changed."


class IdentityExposed(Malformed):
    """Others than the owner can read or change the secret."""

    path: str
    mode: str
    sentence = "The identity {path} is open to others (mode {mode}): make it 0600."


class IdentityMalformed(Malformed):
    """Not the file of an identity."""

    path: str
    length: int
    sentence = "{path} is not an identity: it has {length} bytes, an identity has 32."


class IdentityMissing(Unknown):
    """The file is not there or cannot be read."""

    path: str
    what: str
    sentence = "The identity {path} cannot be read: {what}."


class IdentityUnwritable(Busy):
    """The file cannot be made."""

    path: str
    what: str
    sentence = "The identity cannot be written to {path}: {what}."


class KeepingFailed(Busy):
    """What must be kept before it is sent cannot be kept, so nothing is sent."""

    path: str
    what: str
    sentence = "Nothing can be kept in {path}: {what}. Nothing was sent."


class KeepingInUse(Busy):
    """Another program plays from this directory."""

    path: str
    sentence = (
        "{path} is in use by another program: two programs cannot play with one key. "
        "Another player is one by another name: --as NAME."
    )


class OperatorKeyMalformed(Malformed):
    """Not the one line that an operator's key is."""

    path: str
    sentence = "{path} is not an operator's key: one line, hokm-v1 operator and 32 bytes in base64."


class PolicyMissing(Unknown):
    """Whom to trust is said by a file, and it is not there."""

    path: str
    what: str
    sentence = "The trust policy {path} cannot be read: {what}."


class NotReplayable(Malformed):
    """Neither a record nor a proof whose entries hang together."""

    path: str
    what: str
    sentence = "{path} cannot be shown: {what}"


class NothingDealt(Unknown):
    """The game was over before a round was dealt, or the proof holds none."""

    path: str
    sentence = "No round was dealt in {path}."


class ManifestWanted(Unknown):
    """An entry says that the table's event key was revoked: only a later manifest can bear that out."""

    version: int
    sentence = "Entry {version} is signed by a key that a later manifest may name."


# What the player may not do any more.


class NumberNotKept(Unknown):
    """The number behind a commitment is not on this device, so it cannot be revealed here."""

    seat: int
    sentence = "The number that seat {seat} committed to is not kept here: it was made elsewhere, or the file is lost."


class OtherSetSigned(Conflict):
    """A device signs a Reveal over one set of commitments for a context, and never over another."""

    signed: str
    asked: str
    sentence = "A Reveal over the set {signed} was signed for this context; none is signed over {asked}."


class OtherActSigned(Conflict):
    """For one decision a device signs one act, and never another, whatever becomes of it."""

    seat: int
    sentence = "Seat {seat} has signed another act for this decision; none is signed besides."


class SigningStopped(Conflict):
    """The server was caught contradicting itself: nothing is signed at this table but protests."""

    kind: str
    sentence = "The server was caught ({kind}): nothing is signed at this table any more but a protest."


# The way to the server.


class BadAddress(Malformed):
    """Not a server's address."""

    address: str
    sentence = "{address!r} is not a server's address: host:port."


class NoFreeSeat(Conflict):
    """Nowhere to sit down at that table."""

    sentence = "No seat is free at this table."


class NoTable(Unknown):
    """Nothing to sit down at."""

    sentence = "No table has a free seat: --open opens a new one, and --bots 1,2,3 fills it with bots."


class SeatGone(Conflict):
    """The seat is not this key's any more."""

    seat: int
    sentence = "Seat {seat} is no longer this player's."


class TakenOver(Conflict):
    """The same player has come in by another stream."""

    seat: int
    sentence = "Seat {seat} is being played from elsewhere with the same identity."


class LogNotTrusted(Unknown):
    """The policy is of another house, or somebody else answers at that address."""

    address: str
    origin: str
    sentence = (
        "The server {address} writes the log {origin!r}, and your policy does not name it: "
        "it is the policy of another house, or the wrong server."
    )


class Unreachable(Busy):
    """There is no server at that address, or no way to it."""

    address: str
    what: str
    sentence = "The server {address} cannot be reached: {what}."


class ClientBroken(HokmError):
    """A bug of this program: its traceback is in the diagnostics."""

    what: str
    sentence = "This program failed: {what}."


class ServerBroken(HokmError):
    """The server failed without saying why."""

    what: str
    sentence = "The server failed: {what}."


class ServerNotReady(HokmError):
    """A server that was started here did not come to answer."""

    what: str
    sentence = "The server did not start: {what}"


class ServerStopped(HokmError):
    """A server that was started here has ended before the game."""

    path: str
    sentence = "The server of this game has stopped; {path} may say why. What was played is kept: start again to go on."


class VerifierFailed(HokmError):
    """The verifier gave no verdict."""

    what: str
    sentence = "The verifier could not judge: {what}"


class StrangeAnswer(Malformed):
    """The server answered with what no answer can be."""

    what: str
    sentence = "The server's answer makes no sense: {what}."


# What the server refused.


class _Refused(HokmError):
    """A refusal whose reason is not known here: a newer server's, most likely."""

    given_reason: str
    given_facts: Mapping[str, str]
    given_sentence: str

    @property
    def reason(self) -> str:
        return self.given_reason

    @property
    def facts(self) -> dict[str, str]:
        return dict(self.given_facts)

    def __str__(self) -> str:
        return self.given_sentence


class RefusedAsMalformed(_Refused, Malformed):
    """Refused: the same request can never succeed."""


class RefusedByRule(_Refused, Rule):
    """Refused by the rules of the game."""


class RefusedInConflict(_Refused, Conflict):
    """Refused: something else came first."""


class RefusedAsUnknown(_Refused, Unknown):
    """Refused: it names something that does not exist."""


class RefusedUnsigned(_Refused, NotSignedIn):
    """Refused: the caller has not shown who it is."""


class RefusedSeat(_Refused, NotYourSeat):
    """Refused: the caller may not do this."""


class RefusedForNow(_Refused, Busy):
    """Refused: the same request may succeed later."""


class Refused(_Refused):
    """Refused for a reason that is not known here, nor of what kind it is."""


def refusal(reason: str, facts: Mapping[str, str], sentence: str, unknown: type[_Refused] = Refused) -> HokmError:
    """The error of that reason with these facts, as it was raised where it comes from.

    A reason that is not known here, or whose facts do not fit, becomes one of kind `unknown` that carries all three.
    """
    kind = _kinds().get(reason)
    if kind is not None:
        try:
            return kind(**{name: _fact(type_, facts[name]) for name, type_ in kind.fields.items()})
        except (KeyError, TypeError, ValueError):
            pass
    return unknown(reason, dict(facts), sentence)


def _fact(type_: str, text: str) -> object:
    return int(text) if type_ == "int" else text


@cache
def _kinds() -> dict[str, type[HokmError]]:
    """The errors of `hokm.errors` by reason, those with facts or a sentence of their own."""
    return {reason_of(kind): kind for kind in _below(HokmError) if is_shared(kind)}


def _below(kind: type[HokmError]) -> Iterator[type[HokmError]]:
    for lower in kind.__subclasses__():
        yield lower
        yield from _below(lower)
