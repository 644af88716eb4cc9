# SPDX-License-Identifier: Apache-2.0
"""What can be wrong with a watcher's own files, and with what a log's site answers, in the tree of `hokm.errors`."""

from __future__ import annotations

from hokm.errors import Busy, Conflict, Malformed, Unknown

# Its own files.


class FileUnusable(Busy):
    """The system does not let it be read or written."""

    path: str
    what: str
    sentence = "{path} cannot be used: {what}."


class KeyExposed(Malformed):
    """A private key that others may read."""

    path: str
    sentence = "{path} can be read by others: give it mode 0600, or make a new key if it was so for long."


class KeyMalformed(Malformed):
    """Not the file of a private key of that role."""

    path: str
    role: str
    sentence = "{path} is not the file of a {role} key."


class MemoryMissing(Unknown):
    """A witness that has forgotten what it cosigned must not go on under its old name."""

    path: str
    key: str
    sentence = "{path} holds nothing, and the key {key} is there: a witness that has forgotten needs a new key."


class MemoryOfAnother(Conflict):
    """What one key cosigned says nothing of another."""

    path: str
    vkey: str
    sentence = "{path} is the memory of {vkey}, and of no other witness."


class MemoryUnusable(Busy):
    """Not the memory of a witness, or the disk fails."""

    path: str
    what: str
    sentence = "The memory {path} cannot be used: {what}."


# A log's site, and what it shows.


class EntryMissing(Unknown):
    """The log does not hold what is to be proved, as far as the tree of its checkpoint goes."""

    what: str
    size: int
    sentence = "The first {size} entries of the log do not hold {what}."


class NotProvable(Malformed):
    """An entry of a table is none, or names a checkpoint that the log never had: no honest house writes it."""

    what: str
    sentence = "This cannot be proved: {what}"


class CheckpointNotOfLog(Malformed):
    """The site lies about an earlier checkpoint: the log may have signed another one of that size."""

    size: int
    what: str
    sentence = "What the site has as the checkpoint of size {size} is none that the log signed: {what}"


class RootMissing(Unknown):
    """Without that key nobody can say whether a manifest counts."""

    place: int
    sentence = "The site does not have the root key that may have signed the key manifest at place {place}."


class NotOnSite(Unknown):
    """The site says that it has no such file."""

    url: str
    sentence = "There is no {url}."


class SiteFailed(Busy):
    """The site cannot be reached, or does not answer with a file."""

    url: str
    what: str
    sentence = "{url} cannot be had: {what}."


class SiteKeysMalformed(Malformed):
    """Not the file of manifests and root keys."""

    what: str
    sentence = "The keys of the site cannot be read: {what}."


# An auditor's own ledger, and what keeps it from going on.


class LedgerOfAnother(Conflict):
    """A ledger is of one log."""

    path: str
    origin: str
    sentence = "{path} is the ledger of {origin}, and of no other log."


class LedgerMissing(Unknown):
    """An auditor that has forgotten what it cosigned must not go on under its old name."""

    path: str
    key: str
    sentence = "{path} holds nothing, and the key {key} is there: an auditor that has forgotten needs a new key."


class LedgerUnusable(Busy):
    """Not the ledger of an auditor, or the disk fails."""

    path: str
    what: str
    sentence = "The ledger {path} cannot be used: {what}."


class NoQuorum(Busy):
    """Witnesses may be late."""

    size: int
    cosignatures: int
    sentence = "The checkpoint of size {size} has {cosignatures} cosignatures, which is not the quorum of the policy."


class WorkerLost(Busy):
    """The system may have run out of memory."""

    sentence = "One of the processes that replay games was ended by somebody else."


class PolicyOfSeveral(Malformed):
    """A ledger is of one log; what others do is for other auditors."""

    logs: int
    sentence = "The policy names {logs} logs: an auditor follows one, by a policy of its own."
