# SPDX-License-Identifier: Apache-2.0
"""What a server refuses for a reason is raised here as the very error of that reason."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import grpc
import pytest

from hokm import errors
from hokm.errors import HokmError, MustFollowSuit, NothingProtested, StaleMove, is_shared, reason_of
from hokm_client.connection import error_of
from hokm_client.errors import (
    KeepingFailed,
    Refused,
    RefusedForNow,
    RefusedInConflict,
    ServerBroken,
    Unreachable,
    refusal,
)
from hokm_client.pauses import may_mend
from hokm_server.status import status_of


def below(kind: type[HokmError]) -> Iterator[type[HokmError]]:
    """Every error of the tree."""
    for lower in kind.__subclasses__():
        if is_shared(lower):
            yield lower
            yield from below(lower)


SAMPLES = {"int": 7, "str": "text"}


def sample(kind: type[HokmError]) -> HokmError:
    """One error of a class."""
    facts: dict[str, Any] = {name: SAMPLES[type_] for name, type_ in kind.fields.items()}
    return kind(**facts)


RAISED = sorted((kind for kind in below(HokmError) if kind.sentence != HokmError.sentence), key=reason_of)
"""All but the kinds, which are not raised themselves."""


@pytest.mark.parametrize("kind", RAISED, ids=reason_of)
def test_every_error_comes_back_as_itself(kind: type[HokmError]) -> None:
    """Class, facts and sentence, from reason and facts as text."""
    error = sample(kind)
    again = refusal(error.reason, error.facts, str(error))
    assert type(again) is kind
    assert (again.facts, str(again)) == (error.facts, str(error))


def test_details_that_cannot_be_read_are_none() -> None:
    """What is left is the status, and its kind."""
    details = grpc.aio.Metadata(("grpc-status-details-bin", b"\xff\xff\xff"))
    rpc = grpc.aio.AioRpcError(grpc.StatusCode.ABORTED, grpc.aio.Metadata(), details, details="no")
    error = error_of(rpc, "a:1")
    assert isinstance(error, RefusedInConflict)
    assert str(error) == "no"


@pytest.mark.parametrize("facts", [{}, {"seen_version": "1"}, {"seen_version": "one", "opened": "2"}])
def test_a_reason_whose_facts_do_not_fit_keeps_its_words(facts: dict[str, str]) -> None:
    """A newer server may know a fact that we do not: nothing is lost, and nothing is made up."""
    error = refusal("STALE_MOVE", facts, "It is stale.", RefusedInConflict)
    assert type(error) is RefusedInConflict
    assert (error.reason, error.facts, str(error)) == ("STALE_MOVE", facts, "It is stale.")


def test_a_reason_that_is_not_known_keeps_its_words() -> None:
    """Its kind is that of its status code, where it came with one."""
    error = refusal("MOON_IS_FULL", {"phase": "full"}, "The moon is full.")
    assert isinstance(error, Refused)
    assert (error.reason, error.facts, str(error)) == ("MOON_IS_FULL", {"phase": "full"}, "The moon is full.")
    assert isinstance(refusal("MOON_IS_FULL", {}, "", RefusedForNow), errors.Busy)


def rpc_error(code: grpc.StatusCode, details: str, *trailer: tuple[str, bytes]) -> grpc.aio.AioRpcError:
    """A call that failed."""
    metadata = grpc.aio.Metadata(*trailer)
    return grpc.aio.AioRpcError(code, grpc.aio.Metadata(), metadata, details)


@pytest.mark.parametrize("error", [MustFollowSuit("AS", "H"), StaleMove(1, 2), NothingProtested()])
def test_the_status_that_a_server_makes_is_read(error: HokmError) -> None:
    """Over the trailer of the call, as the server packs it."""
    packed = status_of(error).SerializeToString()
    again = error_of(rpc_error(grpc.StatusCode.ABORTED, "", ("grpc-status-details-bin", packed)), "example:1")
    assert type(again) is type(error)
    assert again.facts == error.facts


def test_a_call_that_failed_without_a_reason() -> None:
    """No way to the server, or a server that broke: each its own error, with the last words of gRPC."""
    away = error_of(rpc_error(grpc.StatusCode.UNAVAILABLE, "failed: last error: Connection refused."), "example:1")
    assert isinstance(away, Unreachable)
    assert str(away) == "The server example:1 cannot be reached: Connection refused."
    assert isinstance(error_of(rpc_error(grpc.StatusCode.INTERNAL, "oh"), "example:1"), ServerBroken)
    assert isinstance(error_of(rpc_error(grpc.StatusCode.RESOURCE_EXHAUSTED, "no"), "example:1"), RefusedForNow)


def test_what_may_mend() -> None:
    """A server that is away may come back; a disk that is full does not empty itself, and a rule stays a rule."""
    assert may_mend(Unreachable("example:1", "away"))
    assert not may_mend(KeepingFailed("file", "full"))
    assert not may_mend(MustFollowSuit("AS", "H"))
