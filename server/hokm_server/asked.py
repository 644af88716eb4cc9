# SPDX-License-Identifier: Apache-2.0
"""What a request of TablesService asks for, in the words of the game. Refuses what could never be meant."""

from __future__ import annotations

from collections.abc import Iterable

from hokm.cards import check_card
from hokm.deal import SALT_BYTES
from hokm.errors import NotUnderstood, OutOfRange, WrongLength
from hokm.events import SignedMove
from hokm.rules import TIMEOUT_POLICY, FirstHakem, HakemPasses, Packets, TableRules
from hokm.signing import SIGNATURE_BYTES
from hokm.v1 import rules_pb2
from hokm.v1 import tables_service_pb2 as pb
from hokm.wire import read_move
from hokm_server.draft import Beside


def rules_asked(message: rules_pb2.TableRules) -> TableRules:
    """The rules of a table that is asked for; what is left out takes the default of the game.

    Raises `NotATarget`, `OutOfRange`, `NotUnderstood`, `AwayNotBelowHalfTurn`, `ThrowingWhileSilent`.
    """
    default = TableRules()
    turn_seconds = message.turn_seconds or default.turn_seconds
    away_seconds = message.away_seconds
    if not message.HasField("away_seconds"):
        away_seconds = min(default.away_seconds, (turn_seconds - 1) // 2)
    if message.timeout_policy not in ("", TIMEOUT_POLICY):
        raise NotUnderstood("timeout_policy", f"only {TIMEOUT_POLICY} is known here")
    passes = _known("hakem_passes", message.hakem_passes, len(HakemPasses))
    return TableRules(
        first_hakem=FirstHakem(_known("first_hakem", message.first_hakem, len(FirstHakem)) or default.first_hakem),
        packets=Packets(_known("packets", message.packets, len(Packets)) or default.packets),
        open_first_packet=message.open_first_packet,
        hakem_passes=HakemPasses(passes or default.hakem_passes),
        target=message.target or default.target,
        turn_seconds=turn_seconds,
        away_seconds=away_seconds,
        rated=message.rated,
        witnessed=message.witnessed,
        partners_middle=message.partners_middle,
        coming_early=message.coming_early,
        runs=message.runs,
        tea=message.tea,
        throwing=message.throwing,
        silent=message.silent,
    )


def age_told(token: str) -> bytes | None:
    """Where a page begins. Raises `NotUnderstood`."""
    try:
        return bytes.fromhex(token) or None
    except ValueError:
        raise NotUnderstood("page_token", "no answer named it") from None


def seats_asked(seats: Iterable[int]) -> tuple[int, ...]:
    """The seats that are named, ascending, each once. Raises `OutOfRange`."""
    found = tuple(sorted(set(seats)))
    for seat in found:
        if seat > 3:
            raise OutOfRange("seat", seat, 0, 3)
    return found


def signed_move(act: pb.SignedAct) -> SignedMove:
    """The move of an act. Raises `Malformed`."""
    if len(act.signature) != SIGNATURE_BYTES:
        raise WrongLength("signature", len(act.signature), SIGNATURE_BYTES)
    return SignedMove(read_move(act.move), act.move, act.signature)


def beside(act: pb.SignedAct) -> Beside:
    """What comes with the move of an act, in confidence. Raises `Malformed`."""
    if not act.HasField("early"):
        return Beside(act.number, join_code=act.join_code)
    if len(act.early.salt) != SALT_BYTES:
        raise WrongLength("salt", len(act.early.salt), SALT_BYTES)
    return Beside(early=(check_card(act.early.card), act.early.salt))


def _known(name: str, value: int, most: int) -> int:
    if not 0 <= value <= most:
        raise OutOfRange(name, value, 0, most)
    return value
