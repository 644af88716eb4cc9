# SPDX-License-Identifier: Apache-2.0
"""The way to the server: a channel, signed in with one key, and the calls that go over it.

What a call is refused for is raised as the very error that the server raised.

This is the only module of the client that imports gRPC.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any, Final, TypeVar

import grpc
from google.protobuf.message import DecodeError
from google.rpc.error_details_pb2 import ErrorInfo
from google.rpc.status_pb2 import Status

from hokm.errors import HokmError, NotSignedIn
from hokm.proof import MOST_GAME_BYTES, MOST_ROUND_BYTES
from hokm.rules import TableRules
from hokm.sign_in import signed_challenge
from hokm.signing import SigningKey
from hokm.v1 import log_service_pb2, rules_pb2, sign_in_service_pb2
from hokm.v1 import tables_service_pb2 as pb
from hokm.v1.log_service_pb2_grpc import LogServiceStub
from hokm.v1.sign_in_service_pb2_grpc import SignInServiceStub
from hokm.v1.tables_service_pb2_grpc import TablesServiceStub
from hokm.wire import write_rules
from hokm_client import answers, errors
from hokm_client.machine import Machine
from hokm_client.pauses import Pauses, may_mend

CALL_SECONDS: Final = 10.0
PROOF_SECONDS: Final = 120.0
"""A proof file has come as a whole so soon."""
RENEW_MS: Final = 30_000
"""A token that ends so soon is not used any more."""

_OPTIONS: Final = (
    ("grpc.keepalive_time_ms", 10_000),
    ("grpc.keepalive_timeout_ms", 3_000),
    ("grpc.keepalive_permit_without_calls", 0),
    ("grpc.http2.ping_timeout_ms", 3_000),  # without it a silent server is noticed after minutes
    ("grpc.http2.max_pings_without_data", 0),
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 2_000),
    ("grpc.max_receive_message_length", 16 << 20),
)

_DETAILS: Final = "grpc-status-details-bin"

_UNKNOWN: Final = {
    grpc.StatusCode.INVALID_ARGUMENT: errors.RefusedAsMalformed,
    grpc.StatusCode.FAILED_PRECONDITION: errors.RefusedByRule,
    grpc.StatusCode.ABORTED: errors.RefusedInConflict,
    grpc.StatusCode.NOT_FOUND: errors.RefusedAsUnknown,
    grpc.StatusCode.UNAUTHENTICATED: errors.RefusedUnsigned,
    grpc.StatusCode.PERMISSION_DENIED: errors.RefusedSeat,
    grpc.StatusCode.RESOURCE_EXHAUSTED: errors.RefusedForNow,
    grpc.StatusCode.UNAVAILABLE: errors.RefusedForNow,
}
_NO_WAY: Final = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.CANCELLED)

T = TypeVar("T")


def error_of(rpc: grpc.aio.AioRpcError, address: str) -> HokmError:
    """The error that the server raised, from the status that came of it."""
    code, text = rpc.code(), rpc.details() or ""
    if (told := _told(rpc)) is not None:
        info, sentence = told
        return errors.refusal(info.reason, info.metadata, sentence, _UNKNOWN.get(code, errors.Refused))
    if code in _NO_WAY:
        return errors.Unreachable(address, _last_words(text) or code.name)
    if code in _UNKNOWN:
        return _UNKNOWN[code](code.name, {}, text or code.name)
    return errors.ServerBroken(text or code.name)


def _told(rpc: grpc.aio.AioRpcError) -> tuple[ErrorInfo, str] | None:
    """The reason with its facts, and the sentence; None where nothing is told that can be read."""
    for name, packed in rpc.trailing_metadata() or ():
        if name == _DETAILS and isinstance(packed, bytes):
            try:
                status, info = Status.FromString(packed), ErrorInfo()
                if any(detail.Unpack(info) for detail in status.details):
                    return info, status.message
            except DecodeError:
                return None
    return None


def _last_words(text: str) -> str:
    """What went wrong at last, from a text in which gRPC tells everything that it tried."""
    return text.rpartition(": ")[2].rstrip(".")


class Connection:
    """A channel to one server, signed in with one key."""

    def __init__(
        self,
        address: str,
        key: SigningKey,
        machine: Machine,
        *,
        certificates: bytes | None = None,
        is_trusted_origin: Callable[[str], bool] = lambda origin: True,
    ) -> None:
        """`certificates`, in PEM, turns TLS on; empty bytes mean those of the system."""
        if not address.rpartition(":")[0]:
            raise errors.BadAddress(address)
        self.address = address
        self.key = key
        self.machine = machine
        self.origin = ""
        """The log's origin line, once signed in."""
        if certificates is None:
            self._channel = grpc.aio.insecure_channel(address, options=_OPTIONS)
        else:
            credentials = grpc.ssl_channel_credentials(certificates or None)
            self._channel = grpc.aio.secure_channel(address, credentials, options=_OPTIONS)
        self._sign_in_stub = SignInServiceStub(self._channel)
        self._tables = TablesServiceStub(self._channel)
        self._log = LogServiceStub(self._channel)
        self._is_trusted_origin = is_trusted_origin
        self._token = ""
        self._expires_ms = 0
        self._signing_in = asyncio.Lock()

    async def close(self) -> None:
        """Leave the server."""
        await self._channel.close()

    def pauses(self) -> Pauses:
        """How long to wait before something is tried again."""
        return Pauses(self.machine.entropy)

    # Signing in.

    async def token(self) -> tuple[str, int]:
        """A token that is good for a while, and when it ends. Raises `LogNotTrusted`, `Unreachable`, `NotSignedIn`."""
        async with self._signing_in:
            if self._expires_ms - RENEW_MS <= self.machine.now_ms():
                await self._sign_in()
        return self._token, self._expires_ms

    async def sign_in_at_last(self) -> None:
        """Sign in as soon as the server answers. Raises what waiting cannot mend."""
        pauses = self.pauses()
        while True:
            try:
                await self.token()
            except HokmError as error:
                if not may_mend(error):
                    raise
                await pauses.wait()
            else:
                return

    def forget_token(self) -> None:
        """The server did not take it: sign in again next time."""
        self._expires_ms = 0

    async def _sign_in(self) -> None:
        key = self.key
        challenge = await self._plain(
            self._sign_in_stub.GetChallenge, sign_in_service_pb2.GetChallengeRequest(public_key=key.public)
        )
        if not self._is_trusted_origin(challenge.origin):
            raise errors.LogNotTrusted(self.address, challenge.origin)
        signature = key.sign(signed_challenge(challenge.origin, challenge.challenge))
        answer = await self._plain(
            self._sign_in_stub.SignIn,
            sign_in_service_pb2.SignInRequest(
                public_key=key.public, challenge=challenge.challenge, signature=signature
            ),
        )
        self.origin, self._token, self._expires_ms = challenge.origin, answer.token, answer.expires_ms

    async def authorization(self) -> tuple[tuple[str, str], ...]:
        """The metadata of a call by who has signed in."""
        token, _ = await self.token()
        return (("authorization", f"Bearer {token}"),)

    def _name(self) -> tuple[tuple[str, str], ...]:
        """Who calls, for a call that anybody may make: a server counts by it what each caller holds."""
        return (("authorization", f"Bearer {self._token}"),) if self._token else ()

    # Single calls.

    async def _plain(self, method: Callable[..., Awaitable[T]], request: object) -> T:
        try:
            return await method(request, timeout=CALL_SECONDS, metadata=self._name())
        except grpc.aio.AioRpcError as rpc:
            raise error_of(rpc, self.address) from None

    async def _call(self, method: Callable[..., Awaitable[T]], request: object) -> T:
        """A call that needs a token; a token that the server has forgotten is asked for once more."""
        for again in (True, False):
            metadata = await self.authorization()
            try:
                return await method(request, timeout=CALL_SECONDS, metadata=metadata)
            except grpc.aio.AioRpcError as rpc:
                error = error_of(rpc, self.address)
                if not (again and isinstance(error, NotSignedIn)):
                    raise error from None
                self.forget_token()
        raise AssertionError("the loop returns or raises")

    async def open_table(
        self, rules: TableRules, bots: Sequence[int] = (), *, private: bool = False
    ) -> pb.OpenTableResponse:
        """A new table: its id, its first entry, and the join code of a private one."""
        message = rules_pb2.TableRules.FromString(write_rules(rules))
        request = pb.OpenTableRequest(rules=message, bot_seats=bots, private=private)
        answer = await self._call(self._tables.OpenTable, request)
        answers.check_table_id(answer.table_id)
        return answer

    async def rematch(self, game: bytes) -> pb.OpenTableResponse:
        """The rematch of a game that this key has played."""
        answer = await self._call(self._tables.OpenTable, pb.OpenTableRequest(rematch_of=game))
        answers.check_table_id(answer.table_id)
        return answer

    async def quick_seat(self, rules: TableRules) -> bytes:
        """A table with exactly these rules that has a free seat, or a new one."""
        message = rules_pb2.TableRules.FromString(write_rules(rules))
        answer = await self._call(self._tables.QuickSeat, pb.QuickSeatRequest(rules=message))
        answers.check_table_id(answer.table_id)
        return answer.table_id

    async def list_tables(
        self, *, with_free_seat: bool = False, having: pb.RulesWanted | None = None
    ) -> list[pb.TableSummary]:
        """All tables, newest first; where `having` is given, those whose rules are like that."""
        found: list[pb.TableSummary] = []
        page = ""
        while True:
            request = pb.ListTablesRequest(with_free_seat=with_free_seat, page_size=100, page_token=page, having=having)
            answer = await self._call(self._tables.ListTables, request)
            answers.check_page(answer, len(found))
            found += answer.tables
            page = answer.next_page_token
            if not page:
                return found

    async def table(self, table_id: bytes) -> pb.TableSummary:
        """One table as the server says that it stands."""
        table = (await self._call(self._tables.GetTable, pb.GetTableRequest(table_id=table_id))).table
        answers.check_table(table)
        return table

    async def call_bots(self, table_id: bytes, seats: Sequence[int]) -> None:
        """Ask the house's bots to take free seats."""
        await self._call(self._tables.CallBots, pb.CallBotsRequest(table_id=table_id, seats=seats))

    async def throw(self, table_id: bytes, seat: int, at: int, thing: pb.Thing.ValueType) -> None:
        """Throw a thing from one's own seat at another."""
        await self._call(self._tables.Throw, pb.ThrowRequest(table_id=table_id, seat=seat, at=at, thing=thing))

    async def act(self, act: pb.SignedAct) -> tuple[int, bytes]:
        """One move by itself: the version and the entry that it made."""
        answer = await self._call(self._tables.Act, pb.ActRequest(act=act))
        return answer.version, answer.entry

    async def wanted(self) -> AsyncIterator[pb.WatchWantedResponse]:
        """Seats that want a bot or a stand-in, until the stream breaks. For an operator's key."""
        call = self._tables.WatchWanted(pb.WatchWantedRequest(), metadata=await self.authorization())
        try:
            async for wanted in call:
                answers.check_table_id(wanted.table_id)
                answers.check_seat(wanted.seat)
                yield wanted
        except grpc.aio.AioRpcError as rpc:
            error = error_of(rpc, self.address)
            if isinstance(error, NotSignedIn):
                self.forget_token()
            raise error from None
        finally:
            call.cancel()

    # The log.

    async def entries(self, table_id: bytes, first_version: int, limit: int = 1000) -> Sequence[bytes]:
        """Entries of one stream from that version on, as many as come at once."""
        request = log_service_pb2.GetEntriesRequest(table_id=table_id, first_version=first_version, limit=limit)
        return (await self._plain(self._log.GetEntries, request)).entries

    async def keys(self) -> log_service_pb2.GetKeysResponse:
        """The stream "keys", and the root keys that it was signed by after the first."""
        found = await self._plain(self._log.GetKeys, log_service_pb2.GetKeysRequest())
        answers.check_keys(found)
        return found

    async def checkpoint(self) -> bytes:
        """The latest published checkpoint, a signed note."""
        answer = await self._plain(self._log.GetCheckpoint, log_service_pb2.GetCheckpointRequest())
        return answer.checkpoint.encode()

    async def consistency(self, old_size: int, new_size: int) -> Sequence[bytes]:
        """The proof that the tree of `new_size` begins with that of `old_size`."""
        request = log_service_pb2.GetConsistencyProofRequest(old_size=old_size, new_size=new_size)
        return (await self._plain(self._log.GetConsistencyProof, request)).hashes

    async def inclusion(self, table_id: bytes, version: int, size: int) -> tuple[int, Sequence[bytes]]:
        """Where an entry is in the tree of that size, and the proof of it."""
        request = log_service_pb2.GetInclusionProofRequest(table_id=table_id, version=version, tree_size=size)
        answer = await self._plain(self._log.GetInclusionProof, request)
        return answer.index, answer.hashes

    async def round_proof(self, table_id: bytes, number: int) -> bytes:
        """The proof file of a round."""
        request = log_service_pb2.GetRoundProofRequest(table_id=table_id, round=number)
        call = self._log.GetRoundProof(request, timeout=PROOF_SECONDS, metadata=self._name())
        return await self._pieces(call, MOST_ROUND_BYTES)

    async def game_proof(self, table_id: bytes) -> bytes:
        """The proof file of a whole game."""
        request = log_service_pb2.GetGameProofRequest(table_id=table_id)
        call = self._log.GetGameProof(request, timeout=PROOF_SECONDS, metadata=self._name())
        return await self._pieces(call, MOST_GAME_BYTES)

    async def _pieces(self, call: Any, most: int) -> bytes:
        """All pieces as one file, which has at most so many bytes."""
        whole = bytearray()
        try:
            async for answer in call:
                whole += answer.piece
                answers.check_length(whole, most)
        except grpc.aio.AioRpcError as rpc:
            raise error_of(rpc, self.address) from None
        finally:
            call.cancel()
        return bytes(whole)

    async def play(self) -> PlayCall:
        """A new call of moves out and updates in."""
        return PlayCall(self._tables.Play(metadata=await self.authorization()), self.address)


class PlayCall:
    """One call of moves out and updates in, from its beginning until it breaks."""

    __slots__ = ("_address", "_call")

    def __init__(self, call: grpc.aio.StreamStreamCall[pb.PlayRequest, pb.PlayResponse], address: str) -> None:
        self._call = call
        self._address = address

    async def connected(self) -> None:
        """Wait until there is a way to the server. Raises why there is none."""
        try:
            await self._call.wait_for_connection()
        except grpc.aio.AioRpcError as rpc:
            raise error_of(rpc, self._address) from None

    async def read(self) -> pb.PlayResponse | None:
        """What comes next; None at the end. Raises why it broke."""
        try:
            response = await self._call.read()
        except grpc.aio.AioRpcError as rpc:
            raise error_of(rpc, self._address) from None
        if not isinstance(response, pb.PlayResponse):
            return None
        answers.check_things(response)
        return response

    async def write(self, request: pb.PlayRequest) -> bool:
        """Send this; False where the call is over: `read` says why."""
        try:
            await self._call.write(request)
        except (grpc.aio.AioRpcError, asyncio.InvalidStateError):
            return False
        return True

    def cancel(self) -> None:
        """End it."""
        self._call.cancel()
