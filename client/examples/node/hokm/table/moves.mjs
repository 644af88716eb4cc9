// SPDX-License-Identifier: Apache-2.0
// What a player may do, and what changes with it: SPEC.md sections 7.2 and 7.7.

import { ZEROS, hex, must } from "../bytes.mjs";
import { ALL, partnerOf } from "../cards.mjs";
import { MOVE, signed } from "../keys.mjs";
import { decode } from "../messages.mjs";
import { personsMayCommit } from "./due.mjs";
import { lay, makeTrumps, play, run, stop } from "./round.mjs";
import { BOT, CAUSE, PERSON, control, deadlineOf, everyPerson, holder, opening, takenBy } from "./seats.mjs";
import { asked, isDrunk, mayAnswer } from "./tea.mjs";

const THREE = 3;
const RULE = {
  call_middle: "partners_middle", pick_up: "partners_middle", lay_early: "coming_early", take_back: "coming_early",
  run: "runs", ask_tea: "tea", answer_tea: "tea", ready: "tea",
};
const OF_THE_PLAYER = ["leave", "return_to_seat", "protest_only", "resign"];
const ANY_TIME = ["leave", "return_to_seat", "protest_only"];
const SETS_MISSED_TO_0 = ["commit", "reveal", "name_trump", "call_middle", "play", "run", "return_to_seat"];
const IN_STAGE = {
  seating: ["join", ...ANY_TIME],
  between: [...ANY_TIME, "ask_tea", "answer_tea", "ready"],
  ceremony: ["commit", "reveal", ...ANY_TIME, "ask_tea", "answer_tea"],
  round: [
    "name_trump", "call_middle", "play", "run", "pick_up", "lay_early", "take_back", "resign", ...ANY_TIME,
    "ask_tea", "answer_tea", "ready",
  ],
};
const AT_TEA = ["ready", "pick_up", ...ANY_TIME];

/** A move that a client signed, in the entry that is the table's last now. */
export function takeMove(table, { move: bytes, signature }) {
  const move = decode("Move", bytes);
  const { act, seat } = move;
  const place = table.seats[seat];
  const said = `the ${act} of seat ${seat}`;
  must(IN_STAGE[table.stage]?.includes(act), `${said} has no place here`);
  must(!RULE[act] || table.options[RULE[act]], `${said}: the table does not play so`);
  must(!isDrunk(table.tea) || AT_TEA.includes(act), `${said} at tea`);
  must(act === "join" || place, `nobody has seat ${seat}`);
  const key = act === "join" ? move.join.public_key : OF_THE_PLAYER.includes(act) ? place.key : holder(place);
  must(move.game_id.equals(act === "join" ? ZEROS : table.gameId), `${said} is of another game`);
  checkHead(table, move, key, said);
  must(signed(key, MOVE, bytes, signature), `${said} is not signed by its key`);
  const decision = decisionFor(table, act, seat);
  must(decision, `${said}: nothing such is open`);
  must(move.seen_version >= decision.opened, `${said} is stale`);
  must(table.time < deadlineOf(decision), `${said} is late`);

  count(table, key, move.seen_version);
  if (act !== "join" && key.equals(place.key)) {
    place.signed = true;
    if (SETS_MISSED_TO_0.includes(act)) place.missed = 0;
  }
  if (table.stage === "seating") table.movesBeforeStart += 1;
  table.compared.moves += 1;
  ACTS[act](table, seat, move[act], move);
}

function checkHead(table, move, key, said) {
  const signer = table.signer(key);
  must(move.round === table.round && move.attempt === table.attempt, `${said} is of another ceremony`);
  must(move.number === signer.moves, `${said}: a key's moves are numbered without a gap`);
  must(move.seen_version < table.version && move.seen_version >= signer.seen, `${said}: what is seen falls`);
  must(move.seen_hash.equals(table.leaves[move.seen_version]), `${said} has seen another entry`);
}

function count(table, key, seen) {
  const signer = table.signer(key);
  signer.moves += 1;
  signer.seen = seen;
}

/** The decision that a move answers: it must have seen the entry that opened it, and come in its time. */
function decisionFor(table, act, seat) {
  const { ceremony, game, tea } = table;
  const since = (opened) => ({ opened, since: 0, length: Infinity });
  if (act === "commit") return ceremony.set ? null : ceremony.steps[seat];
  if (act === "reveal") return ceremony.set && ceremony.steps[seat];
  if (act === "name_trump" || act === "call_middle") return game.trumps === null && game.turn === seat && game.decision;
  if (act === "play" || act === "run") return game.trumps !== null && game.turn === seat && game.decision;
  if (act === "lay_early") return game.trick.length > 0 && since(game.ledAt);
  if (act === "take_back") return game.down[seat] && since(game.down[seat].at);
  if (act === "answer_tea") return tea && tea.ask;
  if (act === "ready") return isDrunk(tea) && tea.pause;
  return since(0);
}

/** The Join inside a StoodIn: the key of the new stand-in. */
export function joinOfStandIn(table, seat, { move: bytes, signature }) {
  const move = decode("Move", bytes);
  const { join } = move;
  const said = `the stand-in of seat ${seat}`;
  must(join?.kind === BOT && move.seat === seat && move.game_id.equals(ZEROS), `${said} joins otherwise`);
  const key = join.public_key;
  const used = [table.house, ...table.seats.map((place) => place.key)].some((other) => other.equals(key));
  must(!used && !table.usedKeys.has(hex(key)), `${said} has a key that is not new`);
  checkHead(table, move, key, said);
  must(signed(key, MOVE, bytes, signature), `${said} is not signed by its key`);
  count(table, key, move.seen_version);
  table.usedKeys.add(hex(key));
  return key;
}

const ACTS = {
  join(table, seat, join) {
    must(!table.seats[seat], `seat ${seat} is not free`);
    must(!table.seats.some((other) => other?.key.equals(join.public_key)), "one key in two seats");
    must(!join.public_key.equals(table.house) && [PERSON, BOT].includes(join.kind), "a key or kind that cannot join");
    table.seats[seat] = takenBy(join);
  },
  leave(table, seat) {
    const place = table.seats[seat];
    must(!place.left, `seat ${seat} has left`);
    if (table.stage === "seating") {
      table.usedKeys.add(hex(place.key));
      table.seats[seat] = null;
      return;
    }
    Object.assign(place, { left: true, back: false });
    if (table.stage === "ceremony") return;
    place.absent ||= CAUSE.LEFT;
    if (table.stage === "round" && everyPerson(table, (one) => one.left)) stop(table);
  },
  return_to_seat(table, seat) {
    const place = table.seats[seat];
    must(!place.back && (place.absent || place.left), `seat ${seat} is here`);
    must(place.returns < THREE, `seat ${seat} comes and goes`);
    place.returns += 1;
    place.left = false;
    place.back = Boolean(place.absent);
    const waits = table.stage === "round" && table.game.turn === seat;
    if (table.stage !== "ceremony" && !waits) control(place);
  },
  resign(table, seat) {
    const place = table.seats[seat];
    must(place.kind === PERSON && !place.resigned, `seat ${seat} cannot resign`);
    place.resigned = true;
    if (everyPerson(table, (one) => one.resigned, seat % 2)) stop(table);
  },
  protest_only(table, seat, _said, { protest }) {
    must(protest && table.seats[seat].protests < THREE, `seat ${seat} cannot protest`);
    table.seats[seat].protests += 1;
  },

  commit(table, seat, { commitment }) {
    const { ceremony } = table;
    const others = [...ceremony.commits, ceremony.house];
    must(!others.some((other) => other?.equals(commitment)), "a commitment is copied");
    ceremony.commits[seat] = commitment;
    ceremony.steps[seat] = null;
    if (ceremony.holders[seat].kind === PERSON || !personsMayCommit(ceremony)) return;
    for (const one of ALL.filter((other) => !ceremony.commits[other])) {
      ceremony.steps[one] = opening(table, 1000 * table.options.turn_seconds);
    }
  },
  reveal(table, seat, { ctx, commit_set: set }) {
    const { ceremony } = table;
    must(ctx.equals(ceremony.ctx) && set.equals(ceremony.set), `seat ${seat} reveals over another set: fraud`);
    ceremony.revealed.add(seat);
    ceremony.steps[seat] = null;
  },

  name_trump: (table, _seat, { suit }) => makeTrumps(table, suit),
  call_middle(table) {
    Object.assign(table.game, { called: true, decision: null, turn: null });
  },
  play: (table, seat, { card }) => play(table, seat, card),
  run: (table, seat, { cards }) => run(table, seat, cards),
  pick_up(table, seat) {
    must(table.game.middle !== null && seat === partnerOf(table.game.hakem), "nothing to pick up");
    table.game.middle = null;
  },
  lay_early: (table, seat, said) => lay(table, seat, said),
  take_back(table, seat) {
    table.game.down[seat] = null;
  },

  ask_tea(table, seat) {
    const place = table.seats[seat];
    must(!place.standIn && !table.tea && !place.teaAsked, `seat ${seat} cannot ask for tea`);
    place.teaAsked = true;
    table.tea = asked(table, seat);
  },
  answer_tea(table, seat, { yes }) {
    must(mayAnswer(table, seat), `seat ${seat} was not asked for tea`);
    if (yes) table.tea.yes.add(seat);
    else table.tea = null;
  },
  ready(table, seat) {
    must(!table.seats[seat].standIn && !table.tea.ready.has(seat), `seat ${seat} cannot be ready`);
    table.tea.ready.add(seat);
  },
};
