# SPDX-License-Identifier: Apache-2.0
"""Which keys the house uses at which table: those of the key manifest that the table was opened under.

So a table keeps its event key and its house secret however often they are changed while its game goes on; a new table
has the newest. Where a later manifest has revoked the event key of an open table, the house has one thing left to say
there, which it signs with the key that the revoking manifest brought.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from hokm.entry import event_key_id, leaf
from hokm.signing import SigningKey
from hokm.table import House
from hokm_server.errors import EventKeyGone
from hokm_server.house_keys import HouseKeys
from hokm_server.public_keys import PublicKeys

_NO_SECRET: Final = bytes(32)
"""Of a revoked key, whose games have no number to be made any more: those that were made are sealed."""


class Signet(NamedTuple):
    """What the house signs a stream with, and makes its own numbers from."""

    house: House
    """With the event key that the stream began with, also where it is revoked."""
    key: SigningKey
    key_id: bytes
    secret: bytes
    """K_house."""
    is_revoked: bool = False
    """The event key is revoked, and `key` is the one after it: it signs that the game has ended, and nothing else."""


@dataclass(frozen=True, slots=True)
class Signets:
    """The signets of a house, each by the leaf of a manifest."""

    newest: bytes
    """The leaf of the manifest that new tables are opened under."""
    houses: Mapping[bytes, House]
    """For every manifest."""
    signets: Mapping[bytes, Signet]
    """For those whose secrets are here: the newest at least."""

    @property
    def now(self) -> Signet:
        """The signet of new tables."""
        return self.signets[self.newest]

    def of(self, manifest_leaf: bytes) -> Signet:
        """The signet of a running table under that manifest. Raises `EventKeyGone`."""
        found = self.signets.get(manifest_leaf)
        if found is None:
            raise EventKeyGone(self.houses[manifest_leaf].event_key.hex())
        return found


def signets_of(keys: HouseKeys) -> Signets:
    """The signets that a house has with these keys."""
    public, houses = keys.public, houses_of(keys.public)
    signets = {}
    for named, house in houses.items():
        own = house.event_key
        revoking = public.revoking(own)
        signing = keys.event_keys.get(own if revoking is None else revoking.event_key)
        if signing is not None:
            secret = keys.event_keys[own].house_secret if own in keys.event_keys else _NO_SECRET
            key_id = event_key_id(keys.origin, signing.key.public)
            signets[named] = Signet(house, signing.key, key_id, secret, revoking is not None)
    return Signets(leaf(public.entries[-1]), houses, signets)


def houses_of(public: PublicKeys) -> dict[bytes, House]:
    """The house as each manifest has it, by the leaf of that."""
    return {
        leaf(entry): House(public.origin, manifest.event_key, public.all_keys - {manifest.event_key})
        for entry, manifest in zip(public.entries, public.manifests, strict=True)
    }
