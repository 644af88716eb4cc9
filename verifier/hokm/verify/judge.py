# SPDX-License-Identifier: Apache-2.0
"""The whole verification: it takes the steps, judges by what they found, and writes the report."""

from __future__ import annotations

from typing import Any

from hokm.deal import Context, Purpose
from hokm.errors import HokmError
from hokm.events import SeatKind, TableOpened
from hokm.policy import Policy
from hokm.proof import ProofKind
from hokm.rules import BySide
from hokm.verify.codes import Code, Step
from hokm.verify.ground import Ground, lay, not_closed
from hokm.verify.report import Finding, Line, Refused, Report, Verdict, found, refusal_by
from hokm.verify.walk import Walk
from hokm.verify.wishes import NO_WISHES, Signatures, Wishes


def verify(octets: bytes, policy: Policy, wishes: Wishes = NO_WISHES) -> Report:
    """Verify the bytes of a proof file by what a reader trusts. Never raises for what the file holds."""
    warnings: list[Finding] = []
    ground: Ground | None = None
    walk: Walk | None = None
    try:
        ground = lay(octets, policy, wishes, warnings)
        walk = Walk(ground, wishes.signatures)
        walk.walk()
    except Refused as refused:
        return _refused(refused.finding, ground, walk, warnings)
    except HokmError as error:
        return _refused(refusal_by(error).finding, ground, walk, warnings)
    warnings += walk.told.warnings
    if wishes.signatures is not Signatures.NONE:
        warnings += _times(ground)
    warnings += _independence(walk)
    mine, not_in = _mine(walk, wishes.mine)
    warnings += not_in
    if wishes.signatures is Signatures.NONE:
        warnings.append(found(Code.SIGNATURES_NOT_CHECKED))
    fault_ = _missing(ground, wishes.head)
    verdict = Verdict.INCOMPLETE if fault_ else Verdict.WITH_WARNINGS if warnings else Verdict.VERIFIED
    return Report(
        verdict,
        _lines(fault_, "incomplete", ground, walk, warnings),
        fault_,
        tuple(sorted(warnings, key=lambda warning: warning.step)),
        tuple(walk.told.notes),
        mine,
        _not_proved(ground, walk),
        _subject(ground, walk),
    )


def _refused(fault: Finding, ground: Ground | None, walk: Walk | None, warnings: list[Finding]) -> Report:
    """The report where a step refuses the proof, with what was found until then."""
    if walk is not None:
        warnings = [*warnings, *walk.told.warnings]
    return Report(
        Verdict.UNREADABLE if fault.step is Step.FORMAT else Verdict.REJECTED,
        _lines(fault, "refused", ground, walk, warnings),
        fault,
        tuple(warnings),
        tuple(walk.told.notes) if walk else (),
        subject=_subject(ground, walk),
    )


def _missing(ground: Ground, head: tuple[int, bytes] | None) -> Finding | None:
    """What there is not of the proof."""
    if not ground.is_complete:
        return not_closed(ground.reading)
    if head is not None and head[0] > ground.reading.last:
        return found(Code.HEAD_NOT_REACHED, ground.reading.last, expected=head[0])
    return None


def _times(ground: Ground) -> list[Finding]:
    which = []
    if not ground.endorsed.cosignatures:
        which.append("the latest")
    if any(not anchor.cosignatures for anchor in ground.anchors.values()):
        which.append("the earliest")
    return [found(Code.TIMES_NOT_WITNESSED, which=" and ".join(which))] if which else []


# Step 13.


def _independence(walk: Walk) -> list[Finding]:
    warnings = []
    for made in walk.told.contributions:
        deal = _deal_name(made.context)
        if not any(made.own):
            warnings.append(found(Code.NO_INDEPENDENT_CONTRIBUTION, made.version, deal=deal))
        for seat in range(4):
            if made.by_stand_in[seat]:
                attempt = made.context.attempt
                warnings.append(found(Code.STAND_IN_NUMBER, made.version, deal=deal, attempt=attempt, seat=seat))
    return warnings


def _mine(walk: Walk, key: bytes | None) -> tuple[tuple[str, ...], list[Finding]]:
    """In which deals the reader's own number is, and warnings of those in which it is not."""
    if key is None:
        return (), []
    seats = [seat for seat, place in enumerate(walk.table.places) if place.public_key == key]
    if not seats:
        return ("this key holds no seat in this game",), [found(Code.MINE_NOT_IN, deal="any deal of this game")]
    mine = []
    warnings = []
    for made in walk.told.contributions:
        deal = _deal_name(made.context)
        if made.keys[seats[0]] == key:
            mine.append(f"your own number is in {deal}: nobody else could choose it")
        else:
            mine.append(f"your own number is not in {deal}")
            warnings.append(found(Code.MINE_NOT_IN, made.version, deal=deal))
    if not walk.told.contributions:
        mine.append("no draw and no deal is proved here")
    return tuple(mine), warnings


def _deal_name(context: Context) -> str:
    return "the draw" if context.purpose is Purpose.DRAW else f"the deal of round {context.round}"


# The report.


def _lines(
    fault: Finding | None, outcome: str, ground: Ground | None, walk: Walk | None, warnings: list[Finding]
) -> tuple[Line, ...]:
    lines = []
    refused = fault.step if fault is not None and outcome == "refused" else None
    for step in Step:
        warned = [warning for warning in warnings if warning.step is step]
        if refused is not None and step > refused:
            lines.append(Line(step, "not reached", "not reached"))
        elif fault is not None and fault.step is step:
            lines.append(Line(step, outcome, f"{fault.code}: {fault.where}{fault.sentence}"))
        else:
            says = _says(step, ground, walk)
            if ground is None and warned:
                says = " ".join(warning.sentence for warning in warned)
            if refused is not None and walk is not None and step > Step.CHAIN:
                says = f"as far as entry {walk.table.version}: {says}"
            lines.append(Line(step, "warning" if warned else "ok", says))
    return tuple(lines)


def _says(step: Step, ground: Ground | None, walk: Walk | None) -> str:
    """What a step has checked, in one line."""
    if ground is None:
        return "nothing was wrong here"
    reading = ground.reading
    proof = reading.proof
    match step:
        case Step.FORMAT:
            what = "a game" if proof.kind is ProofKind.GAME else f"round {proof.round}"
            return f"the proof of {what}, {len(reading.frames)} entries, every one canonical"
        case Step.CHECKPOINT:
            seen = ground.endorsed
            return (
                f"{proof.origin} signed a tree of {seen.checkpoint.size}, "
                f"{_count(len(seen.cosignatures), 'cosignature')} of known witnesses"
            )
        case Step.INCLUSION:
            return (
                f"{_count(len(proof.inclusion), 'entry', 'entries')} and "
                f"{_count(len(proof.manifests), 'key manifest')} are in the tree, which grew out of "
                f"{_count(len(proof.anchors), 'earlier checkpoint')}"
            )
        case Step.HOUSE:
            count = ground.house_signatures
            rest = "under every entry" if count == len(reading.frames) else "the chain fixes the rest"
            signatures = _count(count, "signature")
            return f"key manifest {ground.manifest.version} counts; {signatures} of the house verified, {rest}"
        case Step.CHAIN:
            opening = f"0 to {len(reading.opening) - 1} and " if reading.opening else ""
            closing = "to the closing entry" if ground.is_complete else "without the closing entry"
            return f"versions {opening}{proof.first_version} to {reading.last}, no gap, {closing}"
        case _:
            assert walk is not None
            return _says_of_walk(step, walk)


def _says_of_walk(step: Step, walk: Walk) -> str:
    match step:
        case Step.PLAYERS:
            checked = "" if walk.signatures is not Signatures.NONE else " (signatures not checked)"
            return f"{_count(walk.moves, 'move')}: signature, seat, context, seen entry and number{checked}"
        case Step.CEREMONY:
            opened = _count(walk.numbers, "number")
            seen = f", {_count(walk.witnessed, 'set')} seen by witnesses" if walk.witnessed else ""
            return f"{_count(walk.ceremonies, 'ceremony', 'ceremonies')}{seen}; {opened} opened what was committed to"
        case Step.VOIDS:
            return (
                f"{_count(walk.told.voids, 'void')}, {_count(walk.told.protests, 'protest')}, "
                f"{_count(walk.told.missed, 'missed deadline')}"
            )
        case Step.DECK:
            deals = sum(made.context.purpose is Purpose.DEAL for made in walk.told.contributions)
            draws = len(walk.told.contributions) - deals
            return f"{_count(draws, 'draw')} and {_count(deals, 'deal')} made again from the numbers"
        case Step.MOVES:
            dark = f", {walk.in_the_dark} of them without the cards" if walk.in_the_dark else ""
            return f"{_count(walk.cards, 'card')} decided again with the hands{dark}"
        case Step.RESULT:
            return f"the score is {_score(walk.table.score)}"
        case Step.TIMES:
            return "times never fall, deadlines are kept"
        case _:
            own = sum(map(any, (made.own for made in walk.told.contributions)))
            return f"{own} of {len(walk.told.contributions)} draws and deals have a person's own number in them"


def _count(number: int, one: str, many: str | None = None) -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"


def _score(score: BySide) -> str:
    return f"{score[0]}-{score[1]}"


def _subject(ground: Ground | None, walk: Walk | None) -> dict[str, Any]:
    if ground is None:
        return {}
    reading = ground.reading
    proof = reading.proof
    subject: dict[str, Any] = {
        "origin": proof.origin,
        "table": proof.table.hex(),
        "kind": proof.kind.value,
        "round": proof.round,
        "tree_size": ground.endorsed.checkpoint.size,
        "first_version": proof.first_version,
        "last_version": reading.last,
        "head": ground.leaves[-1].hex(),
    }
    first = (reading.opening or reading.events)[0].content
    assert isinstance(first, TableOpened)
    subject["rematch_of"] = first.rematch_of.hex() or None
    if walk is not None:
        table = walk.table
        subject["game_id"] = table.game_id.hex() if any(table.game_id) else None
        subject["score"] = list(table.score)
        subject["seats"] = [{"kind": place.kind.name.lower(), "key": place.public_key.hex()} for place in table.places]
    return subject


def _not_proved(ground: Ground, walk: Walk) -> tuple[str, ...]:
    """What stays open, said plainly."""
    says = [
        "that the server kept the hands to itself: it must know them to deal",
        "that a number or a move which the log calls missing was not sent",
        "who, or what, sits behind a key",
    ]
    if not ground.reading.is_ended_by_new_key:
        says.append("that no key manifest besides those here revoked the house's key before the last entry")
    if any(place.kind is not SeatKind.PERSON for place in walk.table.places) or walk.told.stand_ins:
        says.append("that bots and stand-ins chose their numbers freely: they are the operator's own programs")
    if ground.reading.proof.kind is ProofKind.ROUND:
        if ground.reading.opening:
            says.append(
                "taken from the house's word: the score, the hakem and what was carried before this round, "
                "and the entries before it that players say they saw"
            )
        says.append("that other rounds exist, or are right")
    if walk.in_the_dark or not ground.is_complete:
        says.append(
            "anything after the last entry here, and of a round not revealed that its cards were rightly played"
        )
    if not ground.endorsed.cosignatures:
        says.append("that there is no second history of this table: no witness has cosigned")
    says.append(_unvouched(ground, walk))
    return tuple(says)


def _unvouched(ground: Ground, walk: Walk) -> str:
    """Which entries no person has signed for."""
    last = ground.reading.last
    seen = max((place.signing.seen for place in walk.table.places if place.kind is SeatKind.PERSON), default=0)
    rest = "rest on the checkpoint and on an expected head (--head) alone"
    if seen == 0:
        return f"no person's signature vouches for these entries: they {rest}"
    return f"entries {seen + 1} to {last}, for which no later signature of a person vouches, {rest}"
