# SPDX-License-Identifier: Apache-2.0
"""A program that writes a log, and is killed between two steps of writing it.

    python -m tests.server.dying_log FOLDER STEP

Whatever it signs it writes down first, in the file `signed`, a line for each checkpoint.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hokm.checkpoint import Checkpoint, cosign
from hokm.policy import Log as PolicyLog
from hokm.policy import Policy, Witness
from hokm.signing import SignatureType, SigningKey, VKey
from hokm_server import files, log
from hokm_server.log import Log
from hokm_server.store import Store
from tests.server.stores import ORIGIN, batch

KEY = SigningKey(b"\x01" * 32)
VKEY = VKey(ORIGIN, SignatureType.ED25519, KEY.public)
WITNESS = SigningKey(b"\x02" * 32)
WITNESS_VKEY = VKey("witness.example", SignatureType.COSIGNATURE, WITNESS.public)
POLICY = Policy((PolicyLog(VKEY),), (), (Witness("one", WITNESS_VKEY),), (), "one")

AT_A_TIME = 300
"""Entries, so that each checkpoint has a new node to keep."""

STEPS: dict[str, tuple[Any, str, bool]] = {
    "before it is sequenced": (Store, "append", False),
    "sequenced, not integrated": (Store, "append", True),
    "integrated, its nodes not kept": (Store, "keep", False),
    "integrated": (Store, "keep", True),
    "read back, not signed": (Log, "_sign", False),
    "signed, not stored": (Store, "publish", False),
    "stored, not in the head file": (log, "write_durably", False),
    "written beside the head file": (files, "write_new", True),
    "published": (log, "write_durably", True),
    "published, the cosignature not kept": (Store, "cosign", False),
    "cosigned": (Store, "cosign", True),
}
"""What is called there, and whether the program dies before or after it."""


def dying(whole: Callable[..., Any], *, afterwards: bool, at: int = 3) -> Callable[..., Any]:
    """The same function, which is the end of the process when it is called the third time."""
    calls = 0

    def last(*args: Any, **kwargs: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == at and not afterwards:
            os.kill(os.getpid(), signal.SIGKILL)
        result = whole(*args, **kwargs)
        if calls == at:
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    return last


def write(log_: Log, store: Store) -> None:
    """One more checkpoint, which the witness cosigns."""
    log_.append([batch(1, store.size, AT_A_TIME)])
    checkpoint = log_.publish().checkpoint
    log_.cosign(checkpoint, WITNESS_VKEY, cosign(checkpoint, WITNESS_VKEY.name, WITNESS, 1))


def main(folder: Path, step: str) -> None:
    """Write for ever."""
    owner, name, afterwards = STEPS[step]
    signed, sign = folder / "signed", log.signed_by_all

    def noted(checkpoint: Checkpoint, keys: Any) -> Any:
        with signed.open("a") as file:
            file.write(f"{checkpoint.size} {checkpoint.root.hex()}\n")
        return sign(checkpoint, keys)

    log.signed_by_all = noted
    setattr(owner, name, dying(getattr(owner, name), afterwards=afterwards))
    store = Store(folder / "log.db", ORIGIN)
    log_ = Log(store, folder / "head", ORIGIN, KEY, policy=POLICY)
    while True:
        write(log_, store)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
