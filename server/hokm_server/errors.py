# SPDX-License-Identifier: Apache-2.0
"""What can be wrong with the server's own things: its database, keys, head file and settings.

These join the one tree of `hokm.errors` and mostly end a start with their one sentence. They name paths of the
server's machine, so none of them is for a client: what fails under a client's move reaches the client as
`hokm.errors.LogNotWritable`.
"""

from __future__ import annotations

from hokm.errors import Busy, Conflict, Malformed, Unknown

# The database.


class DatabaseAltered(Malformed):
    """The schema is not the one that the server made: the log is not held append-only."""

    path: str
    what: str
    sentence = (
        "The database {path} was altered: {what}. The server does not write a log that nothing holds append-only."
    )


class DatabaseCorrupt(Malformed):
    """What the file holds cannot be what the server wrote."""

    path: str
    what: str
    sentence = "The database {path} is corrupt ({what}). Nothing was changed: restore a copy that is not older."


class DatabaseFailed(Busy):
    """The disk or the system failed, and what was being written may or may not be there."""

    path: str
    what: str
    sentence = "The database {path} cannot be used: {what}. The server writes no more until it is started again."


class DatabaseFull(Busy):
    """There is no room for the next entries."""

    path: str
    what: str
    sentence = "The database {path} cannot grow: {what}. What was acknowledged is kept; make room."


class DatabaseInUse(Busy):
    """Another server serves this file."""

    path: str
    by: str
    sentence = "The database {path} is served already, by {by}: two servers cannot write one log."


class DatabaseLocked(Busy):
    """Another program holds a lock on the file."""

    path: str
    sentence = "The database {path} is locked by another program."


class DatabaseMissing(Unknown):
    """There is no such file, or it cannot be opened."""

    path: str
    what: str
    sentence = "The database {path} cannot be opened: {what}."


class DatabaseNewer(Malformed):
    """A newer server made it."""

    path: str
    version: int
    known: int
    sentence = "The database {path} is of version {version}, this server knows up to {known}: use the newer server."


class DatabaseNotOurs(Malformed):
    """A database of something else."""

    path: str
    sentence = "The file {path} is a database, but not a log of this server."


class DatabaseOfAnotherLog(Malformed):
    """The log in the file has another origin."""

    path: str
    origin: str
    wanted: str
    sentence = "The database {path} holds the log {origin!r}, not {wanted!r}."


class DatabaseReadOnly(Busy):
    """The file, or the directory it is in, cannot be written."""

    path: str
    sentence = "The database {path} is read-only, or its directory is."


class DatabaseUnsafe(Malformed):
    """SQLite does not keep what makes an append durable."""

    path: str
    setting: str
    value: str
    wanted: str
    sentence = "The database {path} has {setting} {value}, not {wanted}: an entry could be lost after its answer."


# The log and its head.


class CheckpointMoved(Conflict):
    """The stored checkpoint is not the one that the new one was made after."""

    size: int
    sentence = "Another checkpoint was stored before this one of size {size}."


class CheckpointUnreadable(Malformed):
    """What is kept as a checkpoint is none of this log, signed by its key."""

    path: str
    what: str
    sentence = "{path} holds what is no checkpoint of this log: {what}"


class HeadMissing(Unknown):
    """The log has checkpoints and the file that holds the last one is gone."""

    path: str
    size: int
    sentence = "The log was published up to size {size}, but the head file {path} is missing: restore it."


class HeadUnwritable(Busy):
    """The head file cannot be written."""

    path: str
    what: str
    sentence = "The head file {path} cannot be written: {what}."


class LogBehindHead(Malformed):
    """The database holds less than was published: an old copy was brought back."""

    size: int
    head_size: int
    sentence = (
        "The log has {size} entries, but {head_size} were published: this is an older copy of the database. "
        "Serving it would write a second history; restore the newer one."
    )


class LogNotOfHead(Malformed):
    """The entries are not those that were published."""

    size: int
    sentence = "The first {size} entries of the log are not those that were published."


# Sealed numbers.


class SealBroken(Malformed):
    """The box was not made for this place, or was changed."""

    stream: str
    seat: int
    sentence = "What was sealed for seat {seat} of table {stream} does not open: it was changed or belongs elsewhere."


class SealKeyMissing(Unknown):
    """The box was made with a key that is not here."""

    key_id: str
    sentence = "Something was sealed under the key {key_id}, which is not here."


# Keys of the house.


class EventKeyGone(Unknown):
    """A game that is not over goes on under an event key that is not here."""

    key: str
    sentence = (
        "A game that is not over is signed by the event key {key}, and its file is gone: bring it back, or revoke it."
    )


class EventKeyUnknown(Unknown):
    """There is no such event key that could be revoked."""

    key: str
    sentence = "The event key {key} is none of this house's, or is revoked already; nothing was changed."


class KeyFileExposed(Malformed):
    """Others than the owner can read or change a secret."""

    path: str
    mode: str
    sentence = "The key file {path} is open to others (mode {mode}): make it 0600, and its directory 0700."


class KeyFileMalformed(Malformed):
    """Not the one line that a key file is."""

    path: str
    what: str
    sentence = "The key file {path} is malformed: {what}."


class KeyFileMissing(Unknown):
    """A key file is not there or cannot be read."""

    path: str
    what: str
    sentence = "The key file {path} cannot be read: {what}."


class KeyLocked(Malformed):
    """A secret lies under a passphrase that was not given."""

    path: str
    sentence = "The key file {path} is locked by a passphrase: say where it stands (--passphrase-file)."


class KeysDisagree(Malformed):
    """Key files, policy and manifest are not of one house."""

    path: str
    what: str
    sentence = "The keys in {path} do not belong together: {what}."


class KeysOfAnotherLog(Malformed):
    """The house in that directory writes a log by another name."""

    path: str
    origin: str
    wanted: str
    sentence = (
        "The keys in {path} were made for the log {origin!r}, and a log keeps its name for ever: "
        "a log {wanted!r} needs a directory of its own (--var)."
    )


class KeysExist(Conflict):
    """Keys are made once."""

    path: str
    sentence = "There are keys in {path} already; nothing was changed."


class KeysUnwritable(Busy):
    """Key files cannot be made."""

    path: str
    what: str
    sentence = "The keys cannot be written to {path}: {what}."


class PassphraseWanted(Malformed):
    """Secrets are to be locked, and by what is not said."""

    sentence = "To lock keys there must be a passphrase: say where it stands (--passphrase-file)."


class PassphraseWrong(Malformed):
    """Not the passphrase that locked a secret, or the file is damaged."""

    path: str
    sentence = "The key file {path} does not open with this passphrase."


# Settings.


class BadSetting(Malformed):
    """A setting has a value that it cannot have."""

    name: str
    value: str
    what: str
    sentence = "The setting {name} cannot be {value!r}: {what}."


class SettingsUnreadable(Malformed):
    """The file of settings is missing or is not TOML."""

    path: str
    what: str
    sentence = "The settings in {path} cannot be read: {what}."


class UnknownSetting(Malformed):
    """A setting that does not exist, most often a misspelt one."""

    name: str
    source: str
    sentence = "There is no setting {name!r} (in {source})."


class SealedLost(Unknown):
    """A number that was given in confidence is not there, or opens nothing."""

    seat: int
    sentence = "The sealed number of seat {seat} is lost."


# Start.


class AddressUnusable(Busy):
    """The server cannot listen there: most often another program does."""

    address: str
    what: str
    sentence = "The server cannot listen at {address}: {what}."


class CertificateUnusable(Malformed):
    """The certificate, its key, or the two together are no good."""

    path: str
    what: str
    sentence = "The certificate {path} and its key cannot be used: {what}."


class DirectoryUnusable(Busy):
    """The directory of the server's files cannot be made."""

    path: str
    what: str
    sentence = "The directory {path} cannot be made: {what}."


class PackageMissing(Unknown):
    """A package of an extra is not installed."""

    package: str
    extra: str
    sentence = "The package {package} is not installed: the extra hokm[{extra}] brings it."


# Witnesses.


class WitnessAhead(Conflict):
    """A witness has cosigned more of the log than the server has published: an old copy was brought back, or worse."""

    witness: str
    size: int
    known: int
    sentence = (
        "The witness {witness} has cosigned this log at size {size}, and it is published up to {known}: "
        "another server writes it too, or an older copy was brought back."
    )


class WitnessRefused(Busy):
    """A witness answers with something else than its cosignature."""

    witness: str
    what: str
    sentence = "The witness {witness} has not cosigned: {what}."
