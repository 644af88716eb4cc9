# SPDX-License-Identifier: Apache-2.0
"""The diagnostics: one line of JSON for each record of the standard logging, for whoever runs the server.

    {"time": "2026-11-30T08:15:00.123Z", "level": "ERROR", "logger": "hokm_server.status", "message": "…"}

and ``"exception"``, the traceback, where there is one. No line may hold a card, a number, a key's secret or an
address, and nobody can know what the text of a foreign exception holds; so of an exception only its type and its frames
are written, and the words of errors of the server's own things (`hokm_server.errors`), which hold none of these.
"""

from __future__ import annotations

import asyncio
import json
import logging
import traceback
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import IO, Any

from hokm.errors import system_words
from hokm_server import errors

logger = logging.getLogger(__name__)


class JsonLines(logging.Formatter):
    """One record, one line."""

    def format(self, record: logging.LogRecord) -> str:
        """The line, without its newline."""
        time = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        line = {"time": time, "level": record.levelname, "logger": record.name, "message": record.getMessage()}
        if record.exc_info and record.exc_info[1] is not None:
            line["exception"] = "".join(_lines(record.exc_info[1]))
        return json.dumps(line, ensure_ascii=False)


def write_to(stream: IO[str], level: str = "INFO") -> None:
    """Let every record from this level on be written there, and only there."""
    writer = logging.StreamHandler(stream)
    writer.setFormatter(JsonLines())
    logging.basicConfig(level=level, handlers=[writer], force=True)


def of_loop(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """What an event loop does with an exception that nobody waits for: its own message would show arguments."""
    logger.error("something that nobody waited for has failed", exc_info=context.get("exception"))


def _lines(error: BaseException) -> Iterator[str]:
    """The traceback, that of what caused it first."""
    cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if cause is not None:
        yield from _lines(cause)
        yield "then\n"
    yield from traceback.format_tb(error.__traceback__)
    yield f"{type(error).__qualname__}{_words(error)}\n"


def _words(error: BaseException) -> str:
    if type(error).__module__ == errors.__name__:
        return f": {error}"
    if isinstance(error, OSError) and error.errno:
        return f": {system_words(error)}"
    return ""
