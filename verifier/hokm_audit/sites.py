# SPDX-License-Identifier: Apache-2.0
"""A log's site: files by their paths, from wherever they are served. Nothing that comes from there is believed here.

checkpoint        the latest signed note      checkpoint/<size>       an earlier one
tile/…            tiles and bundles           checkpoint/witnessed    the latest with the quorum
keys              every manifest, and the later root keys
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, NamedTuple

import httpx

from hokm.json_values import NotSuch, fields, list_of, load, octets_of
from hokm.merkle import HASH_BYTES
from hokm.proof import MOST_MANIFESTS
from hokm.tiles import MOST_ENTRY_BYTES, TILE_WIDTH, Fetch
from hokm_audit.errors import NotOnSite, SiteFailed, SiteKeysMalformed

MOST_BYTES: Final = TILE_WIDTH * (2 + MOST_ENTRY_BYTES)
"""Of a file: a bundle may have as many."""

_SECONDS: Final = 20.0
_PAUSES: Final = (0.2, 1.0, 3.0)
"""Seconds before a file is asked for again that could not be had."""
_MAY_COME: Final = {408, 425, 429, 500, 502, 503, 504}


@contextmanager
def site_at(url: str, pause: Callable[[float], None] = time.sleep) -> Iterator[Fetch]:
    """The files below this address: a function that gives one, and raises `NotOnSite` or `SiteFailed`."""
    with httpx.Client(
        timeout=_SECONDS, headers={"accept-encoding": "identity", "user-agent": "hokm-audit"}, follow_redirects=True
    ) as client:

        def fetch(path: str) -> bytes:
            whole = f"{url.rstrip('/')}/{path}"
            for seconds in (*_PAUSES, None):
                try:
                    return _get(client, whole)
                except SiteFailed as failed:
                    if seconds is None or not _is_worth_waiting(failed):
                        raise
                    pause(seconds)
            raise AssertionError

        yield fetch


def _is_worth_waiting(failed: SiteFailed) -> bool:
    return isinstance(failed.__cause__, httpx.TransportError) or isinstance(failed, _NotNow)


class _NotNow(SiteFailed):
    """The site says that it may have it later."""


def _get(client: httpx.Client, url: str) -> bytes:
    octets = bytearray()
    try:
        with client.stream("GET", url) as answer:
            if answer.status_code in (404, 410):
                raise NotOnSite(url)
            if answer.status_code != 200:
                kind = _NotNow if answer.status_code in _MAY_COME else SiteFailed
                raise kind(url, f"the answer is {answer.status_code}")
            for chunk in answer.iter_bytes():
                octets += chunk
                if len(octets) > MOST_BYTES:
                    raise SiteFailed(url, f"it has more than {MOST_BYTES} bytes")
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise SiteFailed(url, str(error).rstrip(".") or type(error).__name__) from error
    return bytes(octets)


class SiteKeys(NamedTuple):
    """What a site says of the house's keys."""

    manifests: tuple[bytes, ...]
    """The entries of the stream "keys", by version."""
    roots: tuple[bytes, ...]
    """Root keys that manifests hand over to, 32 bytes each."""


def keys_on(fetch: Fetch) -> SiteKeys:
    """Read the file of keys. Raises `SiteKeysMalformed`, and what `fetch` raises."""
    entries = list_of(octets_of(1, MOST_ENTRY_BYTES), MOST_MANIFESTS)
    hashes = list_of(octets_of(HASH_BYTES, HASH_BYTES), MOST_MANIFESTS)
    try:
        return SiteKeys(**fields(load(fetch("keys")), "the file", {"manifests": entries, "roots": hashes}))
    except NotSuch as wrong:
        raise SiteKeysMalformed(str(wrong)) from None
