# SPDX-License-Identifier: Apache-2.0
"""The bytes of table rules."""

from __future__ import annotations

from typing import Final

from hokm.canonical import (
    FLAG,
    U32,
    one_of,
    read_message,
    record,
    write_message,
)
from hokm.errors import Missing, NotUnderstood
from hokm.rules import TIMEOUT_POLICY, FirstHakem, HakemPasses, Packets, TableRules
from hokm.v1 import rules_pb2
from hokm.wire.types import MOST_EVENT_BYTES


def read_rules(body: bytes) -> TableRules:
    """The rules that these bytes are; nothing in them goes without saying. Raises `Malformed`."""
    message = read_message(rules_pb2.TableRules, body, MOST_EVENT_BYTES, "rules")
    if message.timeout_policy != TIMEOUT_POLICY:
        raise NotUnderstood("timeout_policy", f"only {TIMEOUT_POLICY} is known here")
    if not message.HasField("away_seconds"):
        raise Missing("away_seconds")
    return _RULES.read(message)


def write_rules(rules: TableRules) -> bytes:
    """The bytes of these rules: made once for a table, and hashed into every ceremony."""
    message = _RULES.write(rules)
    message.timeout_policy = TIMEOUT_POLICY
    return write_message(message, MOST_EVENT_BYTES, "rules")


_RULES: Final = record(
    TableRules,
    rules_pb2.TableRules,
    first_hakem=one_of(*FirstHakem),
    packets=one_of(*Packets),
    open_first_packet=FLAG,
    hakem_passes=one_of(*HakemPasses),
    target=U32,  # TableRules itself sees to these three
    turn_seconds=U32,
    away_seconds=U32,
    rated=FLAG,
    witnessed=FLAG,
    partners_middle=FLAG,
    coming_early=FLAG,
    runs=FLAG,
    tea=FLAG,
    throwing=FLAG,
    silent=FLAG,
)
