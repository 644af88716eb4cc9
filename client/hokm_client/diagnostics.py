# SPDX-License-Identifier: Apache-2.0
"""The diagnostics: a line for each record of the standard logging, for whoever runs the program.

No line may hold a card or a number, and an error's own words may: a card that is not in the hand is named by them. So
of an exception only its type and its frames are written; what is logged of an error in passing is its reason.
"""

from __future__ import annotations

import asyncio
import logging
import traceback
from collections.abc import Iterator
from typing import Any

from hokm.errors import system_words

logger = logging.getLogger(__name__)


class Lines(logging.Formatter):
    """When, how bad, where, what; and of an exception the frames, that of what caused it first."""

    def format(self, record: logging.LogRecord) -> str:
        """The line, and below it those of an exception. What another writer made of the record is not looked at."""
        lines = [f"{self.formatTime(record)} {record.levelname} {record.name}: {record.getMessage()}\n"]
        if record.exc_info and record.exc_info[1] is not None:
            lines += _lines(record.exc_info[1])
        return "".join(lines).rstrip("\n")


def write_to(writer: logging.Handler, level: str) -> None:
    """Let every record from this level on go there, and what fails in the running loop with nobody waiting for it."""
    writer.setFormatter(Lines())
    logging.basicConfig(level=level, handlers=[writer])
    asyncio.get_running_loop().set_exception_handler(_of_loop)


def _of_loop(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """The loop's own message would show the exception, and what it was made with."""
    logger.error("something that nobody waited for has failed", exc_info=context.get("exception"))


def _lines(error: BaseException) -> Iterator[str]:
    cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if cause is not None:
        yield from _lines(cause)
        yield "then\n"
    yield from traceback.format_tb(error.__traceback__)
    words = f": {system_words(error)}" if isinstance(error, OSError) and error.errno else ""
    yield f"{type(error).__qualname__}{words}\n"
