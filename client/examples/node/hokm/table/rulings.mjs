// SPDX-License-Identifier: Apache-2.0
// What each ruling says, and what changes with it: SPEC.md sections 7.6 and 7.7. Each function returns the content that
// the entries before give, so that it can be compared with what the house wrote, byte for byte. Out of what the house
// said it takes only what no one else can know: its commitment, numbers, salts.

import { must } from "../bytes.mjs";
import { ALL, PRESETS, nextHakem, points, sideOf } from "../cards.mjs";
import { decode } from "../messages.mjs";
import {
  DEAL, DRAW, commitSet, commitment, context, deal, draw, earlyCommitment, gameId, pseudorandomKey, rulesHash,
} from "../numbers.mjs";
import { isQuorum } from "../policy.mjs";
import { checkpointOf, rootFrom } from "../tree.mjs";
import { missing } from "./due.mjs";
import { bearOut } from "./hands.mjs";
import { joinOfStandIn } from "./moves.mjs";
import { dealtRound, leadOn, makeTrumps, play, turnOver } from "./round.mjs";
import { CAUSE, PERSON, ceremonyEnds, everyPerson, holder, kindOf, miss, opening, wants } from "./seats.mjs";
import { begin, waiting } from "./tea.mjs";
import { SEALED_LOST, reopen } from "./word.mjs";

const HOUSE = 4;
const END = { TARGET: 1, FORFEIT: 2, RESIGNED: 3, ABANDONED: 4 };
const NO_COMMITMENT = 1;
const NO_NUMBER = 2;
const NO_WITNESS = 6;
const CLOCKS_MS = 60_000; // so far the clocks of house and witnesses may be apart (10.2, step 12)

// --- the table and its seats --------------------------------------------------------------------------------------

export function table_opened(table, said) {
  must(table.rules === null || said.rules.equals(table.rules), "other rules than were asked for");
  must([0, 16].includes(said.rematch_of.length), "the table before has another id");
  const options = decode("TableRules", said.rules);
  must([3, 5, 7].includes(options.target), "nobody plays to that target");
  must(options.turn_seconds >= 1 && options.turn_seconds <= 3600, "no time, or too much");
  must(2 * options.away_seconds < options.turn_seconds, "nobody is away so long");
  must(options.timeout_policy === PRESETS.classic.timeout_policy, "another policy at deadlines");
  must(!(options.throwing && options.silent) , "rules that cannot be played by");
  Object.assign(table, { rules: said.rules, options, nonce: said.server_nonce });
  Object.assign(table, { openedAt: table.time, stage: "seating" });
  return said;
}

export function game_started(table) {
  table.gameId = gameId(table.origin, table.nonce, joins(table));
  between(table, { purpose: DRAW, round: 0, attempt: 0 });
  return { game_id: table.gameId, seats: joins(table) };
}

const joins = (table) =>
  table.seats.map(({ kind, key, nonce }) => ({ kind, public_key: key, join_nonce: nonce }));

function between(table, next) {
  Object.assign(table, { stage: "between", next });
}

export function stood_in(table, said, isWord) {
  const seat = isWord ? table.game.turn : table.seats.findIndex(wants);
  const place = table.seats[seat];
  const cause = isWord ? CAUSE.AWAY : wants(place);
  const key = joinOfStandIn(table, seat, said.join);
  if (isWord) place.absent = cause;
  Object.assign(place, { standIn: key });
  return { seat, cause, join: said.join };
}

export function reopened(table, { seats }, _isWord, before) {
  reopen(table, seats, before);
  return { seats };
}

// --- the ceremony -------------------------------------------------------------------------------------------------

export function ceremony_opened(table, said) {
  const { purpose, round, attempt } = table.next;
  const ctx = context(table.gameId, purpose, round, attempt);
  must(said.anchor, "no anchor");
  const holders = table.seats.map((place) => ({ kind: kindOf(place), public_key: holder(place) }));
  Object.assign(table, { stage: "ceremony", round, attempt });
  const anew = { returns: 0, protests: 0, resigned: false };
  if (attempt === 0) for (const place of table.seats) Object.assign(place, anew);
  const programs = ALL.filter((seat) => holders[seat].kind !== PERSON);
  const first = programs.length ? programs : ALL;
  table.ceremony = {
    ctx, purpose, holders, house: said.house_commitment, anchor: said.anchor, commits: [null, null, null, null],
    set: null, closedLeaf: null, wait: null, revealed: new Set(),
    steps: ALL.map((seat) => (first.includes(seat) ? stepOf(table) : null)),
  };
  return {
    ctx, hakem: purpose === DEAL ? table.hakem : undefined, score: table.score, rules_hash: rulesHash(table.rules),
    holders, house_commitment: said.house_commitment, anchor: said.anchor,
  };
}

/** Commits and Reveals always have the whole time. */
const stepOf = (table) => opening(table, 1000 * table.options.turn_seconds);

export function commit_set_closed(table) {
  const { ceremony } = table;
  ceremony.set = commitSet(ceremony.ctx, [...ceremony.commits, ceremony.house]);
  ceremony.closedLeaf = table.leaves.at(-1);
  if (table.options.witnessed) ceremony.wait = stepOf(table);
  else openReveals(table);
  return { commit_set: ceremony.set };
}

const openReveals = (table) => (table.ceremony.steps = ALL.map(() => stepOf(table)));

/** 6.3, step 5: a tree that the reader's witnesses have seen holds the set, before any number is shown. */
export function commit_set_witnessed(table, said) {
  const { ceremony, policy } = table;
  const tree = checkpointOf(said.checkpoint, policy);
  must(isQuorum(policy, tree.cosigners), "too few witnesses have seen the set of commitments");
  const times = [...tree.cosigners.values()];
  const inTime = times.length === 0 || Math.min(...times) <= table.time + CLOCKS_MS;
  must(inTime, "the witnesses have seen the set after this entry");
  const root = rootFrom(ceremony.closedLeaf, said.index, tree.size, said.inclusion);
  must(root?.equals(tree.root), "the set of commitments is not in the tree that was cosigned");
  ceremony.wait = null;
  openReveals(table);
  return said;
}

/** A number opens what was committed to. */
function opens({ ceremony, house }, seat, number) {
  const key = seat === HOUSE ? house : ceremony.holders[seat].public_key;
  const committed = seat === HOUSE ? ceremony.house : ceremony.commits[seat];
  must(commitment(ceremony.ctx, seat, key, number).equals(committed), `the number of ${seat} does not open`);
}

/** Five numbers that open the five commitments, and the key to the stream of bytes that they make. */
function keyOf(table, numbers) {
  must(numbers.length === 5, "there are five numbers");
  numbers.forEach((number, seat) => opens(table, seat, number));
  table.compared.commitments += 5;
  return pseudorandomKey(table.ceremony.set, numbers);
}

export function hakem_drawn(table, { numbers }) {
  table.hakem = draw(keyOf(table, numbers), table.options.first_hakem).hakem;
  table.firstHakem = table.hakem;
  ceremonyEnds(table, true);
  between(table, { purpose: DEAL, round: 1, attempt: 0 });
  return { numbers, hakem: table.hakem };
}

export function dealt(table) {
  ceremonyEnds(table, true);
  Object.assign(table, { stage: "round", game: dealtRound(table) });
  return {};
}

export function ceremony_voided(table, said) {
  const { ceremony, attempt, round } = table;
  const seats = missing(ceremony);
  const cause = ceremony.set ? NO_NUMBER : NO_COMMITMENT;
  opens(table, HOUSE, said.house_number);
  received(table, said.numbers, true);
  for (const seat of seats) {
    const place = table.seats[seat];
    if (ceremony.purpose === DRAW && !place.signed) place.absent = CAUSE.NO_SIGN;
    else miss(place);
    if (!ceremony.set) place.held = true;
  }
  if (ceremony.set) for (const side of new Set(seats.map(sideOf))) table.faults[side] += 1;
  ceremonyEnds(table, false);
  between(table, { purpose: ceremony.purpose, round, attempt: attempt + 1 });
  const lost = [0, 1].filter((side) => table.faults[side] >= 2);
  if (lost.length) table.next.ends = { cause: END.FORFEIT, winner: lost.length === 2 ? undefined : 1 - lost[0] };
  return { cause, seats, house_number: said.house_number, numbers: said.numbers };
}

/** The numbers of the seats that have revealed: all of them, or those that are not lost. */
function received(table, numbers, all) {
  const seats = numbers.map(({ seat }) => seat);
  const revealed = ALL.filter((seat) => table.ceremony.revealed.has(seat));
  must(seats.every((seat, i) => revealed.includes(seat) && !(seats[i - 1] >= seat)), "a number that nobody revealed");
  must(!all || seats.length === revealed.length, "a number that was given is not shown");
  for (const { seat, number } of numbers) opens(table, seat, number);
}

export function server_fault(table, said, isWord) {
  const { ceremony, stage } = table;
  const missed = ceremony?.set ? NO_NUMBER : NO_COMMITMENT;
  const cause = isWord ? SEALED_LOST : ceremony.wait ? NO_WITNESS : missed;
  table.stage = "over";
  if (stage !== "ceremony") return { cause };
  if (said.house_number.length || !isWord) opens(table, HOUSE, said.house_number);
  received(table, said.received, !isWord);
  return { cause, seats: missing(ceremony), house_number: said.house_number, received: said.received };
}

// --- the round ----------------------------------------------------------------------------------------------------

export function middle_turned(table, { card }) {
  table.game.deeds.push({ what: "middle", card });
  makeTrumps(table, Math.floor(card / 13));
  table.game.middle = card;
  return { card };
}

export function early_turned(table, said) {
  const { turn, down } = table.game;
  openLay(table, down[turn], said);
  turnOver(table, turn, said.card);
  return { seat: turn, card: said.card, salt: said.salt };
}

function openLay(table, lay, { card, salt }) {
  const made = earlyCommitment(table.game.ctx, lay.trick, lay.seat, card, salt);
  must(made.equals(lay.commitment), `the early card of seat ${lay.seat} does not open`);
  table.spend(salt);
  lay.card = card;
}

export function timed_out(table, said) {
  const { turn: seat, trumps } = table.game;
  const choice = trumps === null ? "trump" : "card";
  must(said[choice] !== undefined, "the house has decided something else");
  miss(table.seats[seat]);
  if (choice === "card") play(table, seat, said.card, true);
  else {
    table.game.deeds.push({ what: "trump", suit: said.trump });
    makeTrumps(table, said.trump);
  }
  return { seat, [choice]: said[choice] };
}

export function tea_began(table) {
  begin(table);
  return {};
}

export function tea_ended(table) {
  const { game, tea } = table;
  const drunk = table.time - tea.pause.since;
  table.tea = null;
  if (table.stage !== "round") return {};
  if (game.decision) game.decision.since += drunk;
  if (game.run && !game.stopped) leadOn(table);
  return {};
}

export function round_revealed(table, { numbers, unturned }) {
  const round = table.game;
  const { hands } = deal(keyOf(table, numbers), round.hakem, table.options.packets);
  const lays = round.lays.filter((lay) => !lay.turned);
  must(lays.length === unturned.length, "a card that lay face down is not shown");
  lays.forEach((lay, i) => openLay(table, lay, unturned[i]));
  bearOut(table, hands);

  const side = round.tricks.indexOf(7);
  const winner = side < 0 ? undefined : side;
  const won = winner === undefined ? 0 : points(round.tricks, winner, round.hakem);
  if (winner !== undefined) table.score[winner] += won;
  const ends = endOf(table, winner);
  const goesOn = winner !== undefined && !ends;
  table.hakem = goesOn ? nextHakem(round.hakem, winner, table.options.hakem_passes) : undefined;
  between(table, { purpose: DEAL, round: table.round + 1, attempt: 0, ends });
  table.compared.rounds.push({ round: table.round, hakem: round.hakem, trumps: round.trumps, tricks: round.tricks });
  return {
    numbers, winner, tricks: round.tricks, points: won, score: table.score, next_hakem: table.hakem,
    unturned: lays.map(({ seat, trick }, i) => ({ seat, trick, card: unturned[i].card, salt: unturned[i].salt })),
    carried: carriedBy(table),
  };
}

/** How the game ends with this round, if it does. */
function endOf(table, winner) {
  if (table.score[winner] >= table.options.target) return { cause: END.TARGET, winner };
  const resigned = [0, 1].find((side) => everyPerson(table, (place) => place.resigned, side));
  if (resigned !== undefined) return { cause: END.RESIGNED, winner: 1 - resigned };
  const gone = everyPerson(table, (place) => place.left) || everyPerson(table, (place) => place.absent);
  return gone ? { cause: END.ABANDONED } : undefined;
}

function carriedBy(table) {
  const seats = table.seats.map((place) => ({
    absent: Boolean(place.absent), left: place.left, stand_in_key: place.standIn ?? Buffer.alloc(0),
    missed: place.missed, tea_asked: place.teaAsked, player_moves: table.signer(place.key).moves,
    stand_in_moves: place.standIn ? table.signer(place.standIn).moves : 0,
  }));
  return { seats, faults: table.faults, tea: waiting(table.tea) };
}

export function game_ended(table) {
  const ends = table.stage === "between" ? table.next.ends : { cause: END.ABANDONED };
  table.stage = "over";
  return ends;
}
