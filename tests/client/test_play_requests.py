# SPDX-License-Identifier: Apache-2.0
"""What goes out on a stream at once is told in messages that a server takes."""

from __future__ import annotations

from hokm.v1 import tables_service_pb2 as pb
from hokm_client.play_stream import MOST_ATTACHED, MOST_REQUEST_BYTES, _requests
from hokm_server.server import MOST_REQUEST_BYTES as MOST_READ
from hokm_server.watching import ATTACHED


def test_all_of_it_goes_out_in_messages_that_a_server_takes() -> None:
    """In order; none is longer, and none attaches more tables, than is taken of one caller."""
    attach = [pb.Attach(table_id=number.to_bytes(16)) for number in range(2 * MOST_ATTACHED + 1)]
    acts = [pb.SignedAct(table_id=bytes(16), move=number.to_bytes(2000)) for number in range(40)]
    detach = [bytes(16)]
    requests = list(_requests(attach, detach, acts))
    assert [part for request in requests for part in request.attach] == attach
    assert [part for request in requests for part in request.acts] == acts
    assert [part for request in requests for part in request.detach] == detach
    assert max(len(request.attach) for request in requests) == MOST_ATTACHED <= ATTACHED
    assert max(request.ByteSize() for request in requests) < MOST_REQUEST_BYTES + 2100 < MOST_READ
    assert list(_requests([], [], [])) == [pb.PlayRequest()]
