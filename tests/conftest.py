# SPDX-License-Identifier: Apache-2.0
"""What holds for every test: a record of ERROR or worse, from any logger, fails the test that saw it; no clock does.

A test that provokes such a record says so, and it must then come::

    def test_a_full_disk_stops_the_log(expected_errors):
        expected_errors.append(r"No space left")
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterator

# Terminal tests fork while gRPC runs. Its handlers of that stop and start its threads in the parent, which now and then
# left a server of a later test without an answer; the child goes on to another program at once and needs none of them.
os.environ["GRPC_ENABLE_FORK_SUPPORT"] = "false"

import pytest
from hypothesis import HealthCheck, settings

# How long an example takes says something about the machine, not about the code.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")


# gRPC has one completion queue for all event loops, and each test has a loop of its own: what the queue still holds for
# the loop of the test before, which is closed, is told to nobody.
OF_THE_LOOP_BEFORE = re.compile(r"callback PollerCompletionQueue\._handle_events.*Event loop is closed", re.DOTALL)


@pytest.fixture
def expected_errors() -> list[str]:
    """Patterns of the error records that the test means to provoke, searched in their messages."""
    return []


@pytest.fixture(autouse=True)
def errors_are_expected(expected_errors: list[str]) -> Iterator[None]:
    """Fail at the end of a test on an error record nobody expected, and on an expected one that never came."""
    seen: list[logging.LogRecord] = []
    make = logging.getLogRecordFactory()

    # Every record of every logger is made here, also where a logger does not propagate to the root.
    def collect(*args: object, **kwargs: object) -> logging.LogRecord:
        record: logging.LogRecord = make(*args, **kwargs)
        if record.levelno >= logging.ERROR and not OF_THE_LOOP_BEFORE.search(_with_cause(record)):
            seen.append(record)
        return record

    logging.setLogRecordFactory(collect)
    try:
        yield
    finally:
        logging.setLogRecordFactory(make)
    surprises = [
        f"{record.name}: {_with_cause(record)}"
        for record in seen
        if not any(re.search(pattern, record.getMessage()) for pattern in expected_errors)
    ]
    silent = [
        pattern for pattern in expected_errors if not any(re.search(pattern, record.getMessage()) for record in seen)
    ]
    if surprises:
        pytest.fail("Errors were logged that the test did not expect:\n  " + "\n  ".join(surprises), pytrace=False)
    if silent:
        pytest.fail("Errors were expected and not logged: " + ", ".join(silent), pytrace=False)


def _with_cause(record: logging.LogRecord) -> str:
    cause = record.exc_info[1] if record.exc_info else None
    return record.getMessage() if cause is None else f"{record.getMessage()} ({cause!r})"
