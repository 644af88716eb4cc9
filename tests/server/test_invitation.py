# SPDX-License-Identifier: Apache-2.0
"""The commands that a server prints are those by which its players come in."""

from __future__ import annotations

from pathlib import Path

import pytest

from hokm_server.config import Settings
from hokm_server.invitation import invitation


def lines(settings: Settings) -> list[str]:
    """What a server with these settings prints, at a port that the system chose."""
    said = invitation(settings, 4711, "example.org/hokm", web_port=4712, machine="tower", program="hokm")
    return said.splitlines()


def test_a_server_for_this_machine_says_how_to_let_others_in() -> None:
    """And how to play here."""
    assert lines(Settings()) == [
        "ready on 127.0.0.1:4711",
        "  log     example.org/hokm, trusted by the policy var/policy",
        "  play    hokm play --server 127.0.0.1:4711 --policy var/policy",
        "  others  nobody from another machine: for that, start with --host 0.0.0.0",
        "  any     program that speaks gRPC: package hokm.v1, reflection is on",
        "  web     http://127.0.0.1:4712: the published log, for auditors",
    ]


@pytest.mark.parametrize(
    ("host", "here", "there"),
    [
        ("0.0.0.0", "127.0.0.1:4711", "tower:4711"),
        ("::", "'[::1]:4711'", "tower:4711"),
        ("192.0.2.7", "192.0.2.7:4711", "192.0.2.7:4711"),
    ],
)
def test_a_server_for_others_says_what_they_need(host: str, here: str, there: str) -> None:
    """A copy of the policy, the address that they reach, and with TLS the certificate."""
    _, _, play, others, _, _ = lines(Settings(host=host))
    assert play == f"  play    hokm play --server {here} --policy var/policy"
    assert others == f"  others  with a copy of var/policy: hokm play --server {there} --policy policy"
    with_tls = Settings(host=host, tls_certificate=Path("tls/cert.pem"), tls_key=Path("tls/key.pem"))
    _, _, play, others, _, _ = lines(with_tls)
    assert play.endswith(" --policy var/policy --tls tls/cert.pem")
    assert others == (
        f"  others  with a copy of var/policy and tls/cert.pem: "
        f"hokm play --server {there} --policy policy --tls cert.pem"
    )


def test_names_with_spaces_stay_one_word() -> None:
    """For the shell that the line is given to."""
    assert lines(Settings(var=Path("the house")))[2].endswith(" --policy 'the house/policy'")
