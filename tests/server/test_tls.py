# SPDX-License-Identifier: Apache-2.0
"""A server with a certificate: it speaks nothing but TLS, save to its own bots, and takes only what clients take."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path

import grpc
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from hokm.v1 import log_service_pb2 as log_pb
from hokm_server.config import Settings
from hokm_server.errors import CertificateUnusable
from tests.server.callers import Caller, Visit, error_of, served


def certificate(folder: Path, key: ed25519.Ed25519PrivateKey | None = None) -> tuple[Path, Path]:
    """A certificate for localhost that signs itself, and its key: one that clients take if none is given."""
    signer = key or ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder(
            name, name, signer.public_key(), x509.random_serial_number(), now, now + timedelta(days=1)
        )
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(signer, None if key else hashes.SHA256())
    )
    secret = signer.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    (folder / "chain.pem").write_bytes(made.public_bytes(Encoding.PEM))
    (folder / "key.pem").write_bytes(secret)
    return folder / "chain.pem", folder / "key.pem"


async def test_with_a_certificate_it_speaks_tls_and_only_tls(tmp_path: Path) -> None:
    """Who trusts the certificate gets in; in plain text nothing is answered."""
    chain, key = certificate(tmp_path)
    asked = Settings(var=tmp_path / "var", port=0, tls_certificate=chain, tls_key=key, bots=False)
    async with served(asked) as found:
        trusted = grpc.ssl_channel_credentials(chain.read_bytes())
        async with grpc.aio.secure_channel(f"localhost:{found.port}", trusted) as channel:
            await Visit(found, channel).enter(Caller(0))
        async with grpc.aio.insecure_channel(found.address) as channel:
            call = Visit(found, channel).log.GetCheckpoint(log_pb.GetCheckpointRequest())
            assert (await error_of(call)).code() is grpc.StatusCode.UNAVAILABLE


async def test_the_bots_have_a_door_of_their_own_beside_tls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On this machine alone and in plain text, so that they need no certificate."""
    chain, key = certificate(tmp_path)
    called: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    def command(address: str, var: str) -> list[str]:
        called.set_result(address)
        return ["cat"]  # which ends when its input does

    monkeypatch.setattr("hokm_server.serving.bots_command", command)
    asked = Settings(var=tmp_path / "var", host="0.0.0.0", port=0, tls_certificate=chain, tls_key=key)
    async with served(asked) as found:
        address = await called
        assert address.startswith("127.0.0.1:")
        assert address != found.address_here
        async with grpc.aio.insecure_channel(address) as channel:
            await Visit(found, channel).enter(Caller(0))


async def test_a_certificate_that_no_client_takes_is_refused(tmp_path: Path) -> None:
    """It is well made, and every client would fail at it without a reason."""
    chain, key = certificate(tmp_path, ed25519.Ed25519PrivateKey.generate())
    with pytest.raises(CertificateUnusable, match="ECDSA"):
        async with served(Settings(var=tmp_path / "var", port=0, tls_certificate=chain, tls_key=key, bots=False)):
            raise AssertionError("a server with such a certificate")


async def test_a_certificate_that_is_none_is_said_so(tmp_path: Path) -> None:
    """Before anything is made."""
    bad = tmp_path / "bad.pem"
    bad.write_text("no certificate")
    for path in (bad, tmp_path / "missing.pem"):
        with pytest.raises(CertificateUnusable):
            async with served(Settings(var=tmp_path / "var", port=0, tls_certificate=path, tls_key=bad, bots=False)):
                raise AssertionError("a server with a bad certificate")
    other = tmp_path / "other"
    other.mkdir()
    with pytest.raises(CertificateUnusable):
        async with served(
            Settings(
                var=tmp_path / "var", port=0, tls_certificate=certificate(tmp_path)[0], tls_key=certificate(other)[1]
            )
        ):
            raise AssertionError("a server with the key of another certificate")
    assert not (tmp_path / "var").exists()
