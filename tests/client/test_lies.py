# SPDX-License-Identifier: Apache-2.0
"""A server that answers, over real sockets, what no answer can be: nobody waits for ever, and nobody falls over."""

from __future__ import annotations

from pathlib import Path

import pytest

from hokm.rules import TableRules
from hokm.v1 import tables_service_pb2 as pb
from hokm_client.errors import StrangeAnswer
from hokm_client.fraud import Fraud, FraudKind
from tests.client.visits import Lies, guest, house, liar

SHORT = TableRules(target=3)


# Tables.


async def test_a_table_opened_by_other_rules_is_not_taken(tmp_path: Path) -> None:
    """What was asked for is held against the table's first entry."""

    def longer(request: bytes) -> bytes:
        asked = pb.OpenTableRequest.FromString(request)
        asked.rules.target = 7
        return asked.SerializeToString()

    async with (
        house(tmp_path) as found,
        liar(found.address, Lies(asked={"OpenTable": longer})) as address,
        guest(address, tmp_path) as player,
    ):
        with pytest.raises(StrangeAnswer, match="other rules"):
            await player.open_table(SHORT)


async def test_a_table_opened_with_the_entry_of_another_is_caught(tmp_path: Path) -> None:
    """What OpenTable answers is the first entry of the stream, and is checked like all others."""
    async with house(tmp_path) as found, guest(found.address, tmp_path) as honest:
        (entry,) = await honest.connection.entries(await honest.open_table(SHORT), 0)

        def of_the_other(answer: bytes) -> bytes:
            opened = pb.OpenTableResponse.FromString(answer)
            opened.entry = entry
            return opened.SerializeToString()

        lies = Lies(answered={"OpenTable": of_the_other})
        async with liar(found.address, lies) as address, guest(address, tmp_path) as player:
            table_id = await player.open_table(SHORT)
            with pytest.raises(Fraud) as caught:
                await player.sit(table_id, 0)
    assert caught.value.kind is FraudKind.BAD_ENTRY
