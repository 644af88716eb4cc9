# SPDX-License-Identifier: Apache-2.0
"""The game as a state machine: what a table is, what may happen at it, what must happen next.

    state    Table and its stages: what everybody may know
    present  who is at it: the places in its seats, and which persons are still there
    hands    the cards of a deal, as far as somebody knows them: the secrets, which are arguments
    vouch    what the head of a move vouches for, and who must have signed it
    decide   whether the rules allow an act; those of a round in `decide_round`
    due      the ruling that the house must add next
    ruling   with what content it stands
    word     what the house may say though nothing in the log bears it out, and within which bounds
    numbers  what the numbers of a ceremony show, once they are known
    evolve   the table after one more entry; a seat's changes in `seats`, those of a ceremony in `ceremony`, those of a
             round in `tricks`
    early    cards laid face down, and the entries that open them
    tea      the pause that players may ask for: what may be done, what is due, what comes of it

The server, a player's client and the verifier drive the same four functions, one entry at a time:

    an entry that is a ruling    `due`, else `overdue`, says which; `rule` says with what content
    an entry that is a move      nothing is due or overdue, `vouch` and `decide` let it pass
    either way                   `evolve` makes the next table
"""

from hokm.table.decide import check_new_key, decide, decide_stand_in
from hokm.table.due import RulingKind, brought_by_time, due, expires_ms, overdue, reopening, stand_in_wanted
from hokm.table.early import Opened, are_all_unturned, laid_card, openings, opens, unopened_lay
from hokm.table.evolve import evolve, opened, resumed
from hokm.table.hands import NO_HANDS, Hands, LaidCard, hands_in, hands_of, may_play
from hokm.table.numbers import are_all_that_came, makes_a_deck, shown_numbers, unopened, whose
from hokm.table.present import first_free, is_free, place_at, places_at, seat_of, seated
from hokm.table.ruling import Supply, carried, fault, fits_policy, five_commitments, next_context, rule
from hokm.table.state import (
    Between,
    Ceremony,
    Decision,
    House,
    Lay,
    Over,
    Place,
    Round,
    Seating,
    Signing,
    Stage,
    StandIn,
    Table,
    Tea,
    Trick,
    open_decision,
    phase,
    to_act,
)
from hokm.table.vouch import signer, vouch
from hokm.table.word import may_call_away, may_fault, may_reopen, may_witness

__all__ = [
    "NO_HANDS",
    "Between",
    "Ceremony",
    "Decision",
    "Hands",
    "House",
    "LaidCard",
    "Lay",
    "Opened",
    "Over",
    "Place",
    "Round",
    "RulingKind",
    "Seating",
    "Signing",
    "Stage",
    "StandIn",
    "Supply",
    "Table",
    "Tea",
    "Trick",
    "are_all_that_came",
    "are_all_unturned",
    "brought_by_time",
    "carried",
    "check_new_key",
    "decide",
    "decide_stand_in",
    "due",
    "evolve",
    "expires_ms",
    "fault",
    "first_free",
    "fits_policy",
    "five_commitments",
    "hands_in",
    "hands_of",
    "is_free",
    "laid_card",
    "makes_a_deck",
    "may_call_away",
    "may_fault",
    "may_play",
    "may_reopen",
    "may_witness",
    "next_context",
    "open_decision",
    "opened",
    "openings",
    "opens",
    "overdue",
    "phase",
    "place_at",
    "places_at",
    "reopening",
    "resumed",
    "rule",
    "seat_of",
    "seated",
    "shown_numbers",
    "signer",
    "stand_in_wanted",
    "to_act",
    "unopened",
    "unopened_lay",
    "vouch",
    "whose",
]
