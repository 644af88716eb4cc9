# SPDX-License-Identifier: Apache-2.0
"""`hokm-server keys`: makes, lists, changes and revokes the keys of a house, and keeps its policy.

It works on files alone, beside a server that runs or not. What it changes holds from the server's next start on, or
from when the server is told to take it up. Nothing that it says holds a secret.
"""

from __future__ import annotations

from argparse import Namespace
from collections import Counter
from collections.abc import Callable, Iterator

from hokm.entry import leaf
from hokm_server import rotation
from hokm_server.clock import Clock
from hokm_server.config import Settings
from hokm_server.errors import EventKeyUnknown, KeysExist, PassphraseWanted
from hokm_server.house_files import keys_of, passphrase_of, publish_policy
from hokm_server.key_files import KeyFiles, Role
from hokm_server.public_keys import PublicKeys, read_public
from hokm_server.running_games import running_under

Entropy = Callable[[int], bytes]


def run(asked: Namespace, settings: Settings, clock: Clock, entropy: Entropy) -> Iterator[str]:
    """Do what the command line says; what there is to tell, line by line. Raises the errors of the rooms it calls."""
    files = KeyFiles(settings.keys, passphrase_of(settings, entropy))
    roots = KeyFiles(getattr(asked, "root", None) or settings.keys, files.passphrase)
    origin, now_ms = settings.origin, clock.now_ms()
    match asked.what:
        case "create":
            if settings.keys.exists():
                raise KeysExist(str(settings.keys))
            public = keys_of(settings, clock, entropy).public
            yield f"made {settings.keys}; take {Role.ROOT.file()} and {Role.ROOT.file(1)} to where no network reaches"
            yield from _listed(public, files, settings)
        case "list":
            yield from _listed(read_public(files, origin), files, settings)
        case "lock" if files.passphrase is None:
            raise PassphraseWanted
        case "lock":
            with files.alone():
                yield f"locked {', '.join(files.lock()) or 'nothing: no secret lay open'}"
        case "policy" if not (asked.add or asked.drop or asked.quorum):
            yield read_public(files, origin).policy_file.decode(errors="replace").removesuffix("\n")
        case "policy":
            changed = rotation.change_policy(files, origin, asked.add, asked.drop, asked.quorum)
            yield from _changed(changed, settings)
        case "rotate":
            roles = {Role(name) for name in asked.roles}
            yield from _changed(rotation.rotate(files, roots, origin, roles, now_ms, entropy=entropy), settings)
        case "revoke":
            key = _key(asked.key)
            yield from _changed(rotation.revoke(files, roots, origin, key, now_ms, entropy=entropy), settings)


def _key(text: str) -> bytes:
    """A public key in hex. Raises `EventKeyUnknown`."""
    try:
        return bytes.fromhex(text)
    except ValueError:
        raise EventKeyUnknown(text) from None


def _changed(public: PublicKeys, settings: Settings) -> Iterator[str]:
    publish_policy(settings, public.policy_file)
    yield f"manifest {public.newest.version} is the newest; a server takes it up when it starts or gets SIGUSR1"
    yield f"the policy for your readers is {settings.policy}"


def _listed(public: PublicKeys, files: KeyFiles, settings: Settings) -> Iterator[str]:
    """Each key with its file, and what it is for now."""
    games = running_under(settings.database)
    running = Counter[bytes]()
    for entry, manifest in zip(public.entries, public.manifests, strict=True):
        running[manifest.event_key] += games[leaf(entry)]
    for number, key in enumerate(public.event_keys):
        yield _line(Role.EVENT, key, files, number, _of_event(public, key, running[key]))
    for number, key in enumerate(public.log_keys):
        yield _line(Role.LOG, key, files, number, _of_log(public, key))
    for key in public.newest.operator_keys:
        yield _line(Role.OPERATOR, key, files, 0, "lets the house's own bots in")
    first = public.policy.root_key(public.origin).public_key
    for number, key in enumerate((first, *public.roots)):
        yield _line(Role.ROOT, key, files, number, "signs manifests" if key == public.root else "handed over")


def _line(role: Role, key: bytes, files: KeyFiles, number: int, what: str) -> str:
    name = role.file(number)
    there = name if files.has(name) else f"{name} is not here"
    return f"{role + ' key':14}{key.hex()}  {there}: {what}"


def _of_event(public: PublicKeys, key: bytes, running: int) -> str:
    games = f"{running} open {'game' if running == 1 else 'games'}"
    if public.revoking(key) is not None:
        return f"revoked, {games} to be ended" if running else "revoked, it may go"
    if key == public.newest.event_key:
        return f"signs new tables and {games}"
    return f"signs {games}" if running else "signs nothing any more, it may go with its house secret"


def _of_log(public: PublicKeys, key: bytes) -> str:
    if key == public.newest.log_key:
        return "signs checkpoints"
    return "signs them too, while the policy names it" if public.trusts(key) else "signs nothing any more, it may go"
