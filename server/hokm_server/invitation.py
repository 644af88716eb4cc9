# SPDX-License-Identifier: Apache-2.0
"""What a server says when it answers: where it is, and the very commands by which others come in::

    ready on 0.0.0.0:7465
      log     example.org/hokm, trusted by the policy var/policy
      play    hokm play --server 127.0.0.1:7465 --policy var/policy
      others  with a copy of var/policy: hokm play --server tower:7465 --policy policy
      any     program that speaks gRPC: package hokm.v1, reflection is on
      web     http://127.0.0.1:7466: the published log, for auditors

The first line is also for programs, which wait for it.
"""

from __future__ import annotations

import shlex
from typing import Final

from hokm_server.config import Settings
from hokm_server.server import address_of

_EVERYWHERE: Final = {"0.0.0.0": "127.0.0.1", "::": "::1"}
_THIS_MACHINE_ONLY: Final = ("127.0.0.1", "::1", "localhost")


def address_here(host: str, port: int) -> str:
    """Where programs on this machine reach a server that listens at that host."""
    return address_of(_EVERYWHERE.get(host, host), port)


def invitation(settings: Settings, port: int, origin: str, *, web_port: int | None, machine: str, program: str) -> str:
    """All that is printed: `machine` is this one's name for others, `program` how the player's program is called."""
    play = [program, "play", "--server", address_here(settings.host, port), "--policy", str(settings.policy)]
    if settings.tls_certificate is not None:
        play += ["--tls", str(settings.tls_certificate)]
    lines = [
        f"ready on {address_of(settings.host, port)}",
        f"  log     {origin}, trusted by the policy {settings.policy}",
        f"  play    {shlex.join(play)}",
        f"  others  {_others(settings, port, machine)}",
        "  any     program that speaks gRPC: package hokm.v1, reflection is on",
    ]
    if web_port is not None:
        scheme = "http" if settings.tls_certificate is None else "https"
        lines.append(f"  web     {scheme}://{address_here(settings.host, web_port)}: the published log, for auditors")
    return "\n".join(lines)


def _others(settings: Settings, port: int, machine: str) -> str:
    """How to come in from another machine."""
    if settings.host in _THIS_MACHINE_ONLY:
        return "nobody from another machine: for that, start with --host 0.0.0.0"
    there = address_of(machine if settings.host in _EVERYWHERE else settings.host, port)
    play = ["hokm", "play", "--server", there, "--policy", settings.policy.name]
    copied = [str(settings.policy)]
    if settings.tls_certificate is not None:
        play += ["--tls", settings.tls_certificate.name]
        copied.append(str(settings.tls_certificate))
    return f"with a copy of {' and '.join(copied)}: {shlex.join(play)}"
