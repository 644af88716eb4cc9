# SPDX-License-Identifier: Apache-2.0
"""The gRPC server: services behind the guard, at one address.

It answers health checks (grpc.health.v1) and reflection besides, so that programs which know nothing of it can
ask what there is. Requests are small here, so larger ones than `MOST_REQUEST_BYTES` are refused before they are
read (RESOURCE_EXHAUSTED); answers are as long as they are.
"""

from __future__ import annotations

import errno
import socket
import ssl
from contextlib import nullcontext
from pathlib import Path
from typing import Final, NamedTuple, Protocol

import grpc
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from hokm.errors import system_words
from hokm.v1 import log_service_pb2, sign_in_service_pb2, tables_service_pb2
from hokm.v1.log_service_pb2_grpc import LogServiceServicer, add_LogServiceServicer_to_server
from hokm.v1.sign_in_service_pb2_grpc import SignInServiceServicer, add_SignInServiceServicer_to_server
from hokm_server.errors import AddressUnusable, CertificateUnusable
from hokm_server.status import Guard, LetIn

MOST_REQUEST_BYTES: Final = 64 * 1024
"""A move has at most 2,048 bytes; a stream may bring some dozens of them in one message."""

OPTIONS: Final[tuple[tuple[str, int], ...]] = (
    ("grpc.so_reuseport", 0),  # two servers at one port would each get some of the calls
    ("grpc.max_receive_message_length", MOST_REQUEST_BYTES),
    ("grpc.max_send_message_length", -1),
    # A peer that has gone without a word is noticed within 8 seconds.
    ("grpc.keepalive_time_ms", 5_000),
    ("grpc.keepalive_timeout_ms", 3_000),
    ("grpc.http2.ping_timeout_ms", 3_000),
    ("grpc.keepalive_permit_without_calls", 1),
    # Clients may look for us as often.
    ("grpc.http2.min_recv_ping_interval_without_data_ms", 500),
    ("grpc.http2.max_ping_strikes", 0),
)

SERVICES: Final = tuple(
    file.DESCRIPTOR.services_by_name[name].full_name
    for file, name in (
        (sign_in_service_pb2, "SignInService"),
        (tables_service_pb2, "TablesService"),
        (log_service_pb2, "LogService"),
    )
)


class Addable(Protocol):
    """A service that puts itself into a server: `TablesService`, and those of tests."""

    def add_to(self, server: grpc.aio.Server) -> None:
        """Let a server answer with this service."""
        ...


class Services(NamedTuple):
    """What the server answers with."""

    sign_in: SignInServiceServicer
    tables: Addable
    log: LogServiceServicer


class Listening(NamedTuple):
    """A server that has its addresses; it answers once `server.start` has been awaited."""

    server: grpc.aio.Server
    port: int
    health: health.aio.HealthServicer

    async def start(self) -> None:
        """Answer from now on."""
        for name in ("", *SERVICES):
            await self.health.set(name, health_pb2.HealthCheckResponse.SERVING)
        await self.server.start()

    async def stop(self, grace_seconds: float) -> None:
        """Say that it ends, take no more calls, and cancel after that time what still runs."""
        await self.health.enter_graceful_shutdown()
        await self.server.stop(grace_seconds)


def create_server(
    services: Services,
    host: str,
    port: int,
    *,
    credentials: grpc.ServerCredentials | None = None,
    let_in: LetIn = nullcontext,
    most_calls: int | None = None,
) -> Listening:
    """A server at this address, in plain text where there are no credentials; port 0 lets the system choose one.

    Calls beyond `most_calls` at a time are refused (RESOURCE_EXHAUSTED), and those that `let_in` refuses. Raises
    `AddressUnusable`.
    """
    server = grpc.aio.server(interceptors=[Guard(let_in)], options=OPTIONS, maximum_concurrent_rpcs=most_calls)
    healthy = health.aio.HealthServicer()
    add_SignInServiceServicer_to_server(services.sign_in, server)
    services.tables.add_to(server)
    add_LogServiceServicer_to_server(services.log, server)
    health_pb2_grpc.add_HealthServicer_to_server(healthy, server)
    reflection.enable_server_reflection((*SERVICES, health.SERVICE_NAME, reflection.SERVICE_NAME), server)
    return Listening(server, listen(server, host, port, credentials), healthy)


def listen(server: grpc.aio.Server, host: str, port: int, credentials: grpc.ServerCredentials | None = None) -> int:
    """Let a server that has not started listen at one more address; the port. Raises `AddressUnusable`."""
    address = address_of(host, port)
    try:
        found = server.add_secure_port(address, credentials) if credentials else server.add_insecure_port(address)
    except RuntimeError as error:
        raise AddressUnusable(address, why_not(host, port)) from error
    if not found:
        raise AddressUnusable(address, why_not(host, port))
    return found


def address_of(host: str, port: int) -> str:
    """Host and port in one word; an IPv6 address in brackets."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def credentials_of(certificate: Path, key: Path) -> grpc.ServerCredentials:
    """The credentials of a chain of certificates and its key, both in PEM. Raises `CertificateUnusable`."""
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate, key, password=lambda: "")
        if not isinstance(load_pem_private_key(key.read_bytes(), None), EllipticCurvePrivateKey | RSAPrivateKey):
            raise CertificateUnusable(str(certificate), "the clients of gRPC take ECDSA and RSA, and this is neither")
        return grpc.ssl_server_credentials([(key.read_bytes(), certificate.read_bytes())])
    except ssl.SSLError as error:
        raise CertificateUnusable(str(certificate), error.reason or "they are not a pair in PEM") from error
    except OSError as error:
        raise CertificateUnusable(str(certificate), system_words(error)) from error


def why_not(host: str, port: int) -> str:
    """Why nothing can listen there: gRPC does not say."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        for family, kind, protocol, _, address in found:
            with socket.socket(family, kind, protocol) as tried:
                tried.bind(address)
    except socket.gaierror:
        return "there is no such host"
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            return "another program listens there"
        return system_words(error)
    return "gRPC refuses it"
