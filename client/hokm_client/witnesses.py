# SPDX-License-Identifier: Apache-2.0
"""Whether witnesses have seen a commit set, by the player's own policy, before any number of it is shown.

It is the verifier's own check. What it finds without any policy shows itself to whoever has the entry; what it finds
by this one, that the log or too few witnesses have signed, may be right for somebody who trusts others.
"""

from __future__ import annotations

from hokm.events import CommitSetWitnessed
from hokm.policy import Policy
from hokm.verify.report import Refused
from hokm.verify.witnesses import check_witnessed
from hokm_client.fraud import Fraud, FraudKind


def check_set_witnessed(content: CommitSetWitnessed, version: int, closed: bytes, origin: str, policy: Policy) -> None:
    """Hold what an entry shows of witnesses against the leaf of the CommitSetClosed. Raises `Fraud`."""
    for trusted in (None, policy):
        try:
            check_witnessed(content, version, closed, origin, trusted)
        except Refused as refused:
            raise Fraud(FraudKind.NOT_WITNESSED, version, str(refused), proves=trusted is None) from None
