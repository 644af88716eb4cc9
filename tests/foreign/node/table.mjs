// SPDX-License-Identifier: Apache-2.0
// One stream, followed entry by entry: SPEC.md sections 4.4 and 7. Every ruling of the house is made here too, from the
// entries before it, and compared byte for byte. Followed is a game in which nobody is late, leaves its seat to a
// stand-in or protests; whatever else a log may say ends with "not written for this".

import { DEAL, DRAW, PACKETS, commitSet, commitment, context, deal, draw, gameId, pseudorandomKey, rulesHash }
  from "./ceremony.mjs";
import { legal, name, nextHakem, points, sideOf, suitOf, taker } from "./rules.mjs";
import { EVENT, H, HAND, MOVE, Wrong, ZEROS, decode, encode, keyId, leafOf, must, signed, unframe } from "./wire.mjs";

const RULINGS = new Set([
  "table_opened", "game_started", "ceremony_opened", "commit_set_closed", "hakem_drawn", "dealt", "round_revealed",
  "game_ended",
]);
const ACTS = new Set(["join", "leave", "commit", "reveal", "name_trump", "play"]);
const HOUSE = 4;
const TARGET = 1;
const ABANDONED = 4;
const PERSON = 1;
const ALL = [0, 1, 2, 3];

export class Table {
  /** `manifests` by leaf; `rules` are the bytes that the first entry must carry. */
  constructor(id, origin, manifests, rules) {
    Object.assign(this, { id, origin, manifests, rules, options: decode("TableRules", rules) });
    this.entries = [];
    this.leaves = [];
    this.time = 0;
    this.stage = "nothing";
    this.due = { table_opened: null };
    this.seats = [null, null, null, null];
    this.gameId = ZEROS;
    this.round = 0;
    this.attempt = 0;
    this.score = [0, 0];
    this.hakem = undefined;
    this.signers = new Map();
    this.notes = new Map();
    this.opened = {};
    this.compared = { entries: 0, moves: 0, rulings: 0, notes: 0, cards: 0, commitments: 0, rounds: [] };
  }

  get version() {
    return this.entries.length - 1;
  }

  /** The head of the key's next move. */
  head(key, seat, start = false) {
    return {
      game_id: start ? ZEROS : this.gameId, round: this.round, attempt: this.attempt, seat,
      number: this.signer(key).moves, seen_version: this.version, seen_hash: this.leaves[this.version],
    };
  }

  signer(key) {
    const hex = key.toString("hex");
    if (!this.signers.has(hex)) this.signers.set(hex, { moves: 0, seen: 0 });
    return this.signers.get(hex);
  }

  /** One more entry, wholly checked; or one that is here already, equal to it. */
  take(version, entry) {
    if (version <= this.version) {
      must(this.entries[version].equals(entry), `two entries of version ${version}: fraud`);
      return;
    }
    const { body, id, signature } = unframe(entry);
    must(body.length <= 16384, "an event that is too long");
    const event = decode("Event", body);
    const what = event.content;
    must(event.table.equals(this.id), "an entry of another table");
    must(version === this.version + 1 && event.version === version, `version ${event.version} after ${this.version}`);
    must(event.previous.equals(version ? this.leaves[version - 1] : ZEROS), `version ${version} breaks the chain`);
    must(event.time_ms >= this.time, "time falls");
    this.time = event.time_ms;

    if (version === 0) this.houseOf(event);
    must(id.equals(keyId(`${this.origin}/events`, this.house)), `version ${version} names another key`);
    must(signed(this.house, EVENT, body, signature), `version ${version} is not signed by the house`);

    const due = this.due && Object.keys(this.due)[0];
    must(due ? what === due : what === "move", `${what} stands where ${due ?? "a move"} must`);
    const content = this.due?.[due];
    this.due = null;
    this.entries.push(entry);
    this.leaves.push(leafOf(entry));
    this.compared.entries += 1;
    if (what === "move") {
      this.move(event.move);
    } else if (RULINGS.has(what)) {
      const expected = this[what](event[what], content);
      const made = encode("Event", { ...event, [what]: expected });
      must(made.equals(body), `${what} says other than the entries before give`);
      this.compared.rulings += 1;
    } else {
      throw new Wrong(`not written for this: ${what}`);
    }
  }

  houseOf(event) {
    const manifest = this.manifests.get(event.table_opened?.manifest_leaf.toString("hex"));
    must(manifest, "TableOpened names no manifest that counts");
    this.house = manifest.event_key;
  }

  /** A decision is open from this entry on. */
  open(kind) {
    this.opened[kind] = { version: this.version, deadline: this.time + 1000 * this.options.turn_seconds };
  }

  // --- rulings: each returns what it must say, and changes the state (7.6, 7.7) -----------------------------------

  table_opened(said) {
    this.nonce = said.server_nonce;
    must(this.nonce.length === 32, "no nonce");
    must(said.rematch_of.length === 0, "a rematch was not asked for");
    must(said.rules.equals(this.rules), "other rules than were asked for");
    this.stage = "seating";
    this.opened.join = this.opened.leave = { version: 0, deadline: Infinity };
    return said;
  }

  game_started() {
    this.gameId = gameId(this.origin, this.nonce, this.seats);
    this.ceremonyDue(DRAW, 0);
    return { game_id: this.gameId, seats: this.seats };
  }

  ceremonyDue(purpose, round) {
    this.stage = "between";
    this.due = { ceremony_opened: { ctx: context(this.gameId, purpose, round, 0), purpose, round } };
  }

  ceremony_opened(said, { ctx, purpose, round }) {
    Object.assign(this, { stage: "ceremony", round, attempt: 0 });
    must(said.house_commitment.length === 32, "no commitment of the house");
    must(said.anchor?.root.length === 32, "no anchor");
    const { house_commitment: house, anchor } = said;
    this.ceremony = { ctx, purpose, house, anchor, commits: [], revealed: new Set() };
    this.hand = [[], [], [], []];
    this.open("commit");
    return {
      ctx, hakem: purpose === DEAL ? this.hakem : undefined, score: this.score, rules_hash: rulesHash(this.rules),
      holders: this.seats.map(({ kind, public_key }) => ({ kind, public_key })),
      house_commitment: said.house_commitment, anchor: said.anchor,
    };
  }

  commit_set_closed() {
    const five = [...ALL.map((seat) => this.ceremony.commits[seat]), this.ceremony.house];
    this.ceremony.set = commitSet(this.ceremony.ctx, five);
    this.open("reveal");
    return { commit_set: this.ceremony.set };
  }

  /** The five numbers open the five commitments; what their stream begins with. */
  opening(numbers) {
    must(numbers.length === 5, "there are five numbers");
    numbers.forEach((number, seat) => {
      const key = seat === HOUSE ? this.house : this.seats[seat].public_key;
      const committed = seat === HOUSE ? this.ceremony.house : this.ceremony.commits[seat];
      must(commitment(this.ceremony.ctx, seat, key, number).equals(committed), `the number of ${seat} does not open`);
      this.compared.commitments += 1;
    });
    return pseudorandomKey(this.ceremony.set, numbers);
  }

  hakem_drawn({ numbers }) {
    this.drawn = draw(this.opening(numbers), this.options.first_hakem);
    this.hakem = this.drawn.hakem;
    this.ceremonyDue(DEAL, 1);
    return { numbers, hakem: this.hakem };
  }

  dealt() {
    Object.assign(this, {
      stage: "trumps", turn: this.hakem, trumps: null, trick: [], tricks: [0, 0], played: [], dealtAt: this.version,
    });
    this.open("name_trump");
    return {};
  }

  round_revealed({ numbers }) {
    const { hands } = deal(this.opening(numbers), this.hakem, this.options.packets);
    this.replay(hands);
    const winner = this.tricks[0] === 7 ? 0 : 1;
    const won = points(this.tricks, winner, this.hakem);
    this.score = this.score.map((sum, side) => sum + (side === winner ? won : 0));
    const over = this.score[winner] >= this.options.target;
    this.compared.rounds.push({ round: this.round, hakem: this.hakem, trumps: this.trumps, tricks: this.tricks });
    this.hakem = over ? undefined : nextHakem(this.hakem, winner, this.options.hakem_passes);
    this.ceremonyDue(DEAL, this.round + 1);
    if (over) this.ends(TARGET, winner);
    const seats = this.seats.map(({ public_key }) => ({ player_moves: this.signer(public_key).moves }));
    return {
      numbers, winner, tricks: this.tricks, points: won, score: this.score, next_hakem: this.hakem,
      carried: { seats, faults: [0, 0] },
    };
  }

  /** Hand notes, trumps' five cards and every card played, against the hands that the numbers give (11.9, step 8). */
  replay(hands) {
    for (const note of this.notes.values()) {
      if (!note.ctx.equals(this.ceremony.ctx)) continue;
      must(String(hands[note.seat][note.packet - 1]) === String(note.cards), `packet ${note.packet} was another`);
      this.compared.cards += note.cards.length;
    }
    const left = hands.map((packets) => packets.flat());
    this.played.forEach(({ seat, card }, i) => {
      const led = i % 4 ? suitOf(this.played[i - (i % 4)].card) : null;
      must(left[seat].includes(card), `seat ${seat} did not hold ${name(card)}`);
      must(legal(left[seat], led).includes(card), `seat ${seat} did not follow suit with ${name(card)}`);
      left[seat].splice(left[seat].indexOf(card), 1);
    });
  }

  ends(cause, winner) {
    this.due = { game_ended: { cause, winner } };
  }

  game_ended(_said, expected) {
    this.stage = "over";
    return expected;
  }

  // --- moves (7.2) ------------------------------------------------------------------------------------------------

  move({ move: bytes, signature }) {
    must(bytes.length <= 2048, "a move that is too long");
    const move = decode("Move", bytes);
    const { act, seat } = move;
    must(ACTS.has(act), `not written for this: ${act}`);
    must(!move.protest, "not written for this: a protest");
    must(this.opened[act], `${act} has no place here`);
    const key = act === "join" ? move.join.public_key : this.seats[seat]?.public_key;
    must(key, `nobody has seat ${seat}`);
    must(signed(key, MOVE, bytes, signature), `the ${act} of seat ${seat} is not signed by its key`);
    const signer = this.signer(key);
    const before = this.version - 1;
    must(move.game_id.equals(act === "join" ? ZEROS : this.gameId), "a move of another game");
    must(move.round === this.round && move.attempt === this.attempt, "a move of another ceremony");
    must(move.number === signer.moves, "a key's moves are numbered without a gap");
    must(move.seen_version <= before && move.seen_version >= signer.seen, "what is seen falls, or is not there yet");
    const opened = this.openedFor(act, seat);
    must(move.seen_version >= opened.version, `the ${act} of seat ${seat} is stale`);
    must(move.seen_hash.equals(this.leaves[move.seen_version]), "the mover has seen another entry");
    must(this.time < opened.deadline, `the ${act} of seat ${seat} is late`);
    this[`_${act}`](seat, move[act]);
    signer.moves += 1;
    signer.seen = move.seen_version;
    this.compared.moves += 1;
  }

  /** Persons commit after the last bot: their Commit opens with that one's. */
  openedFor(act, seat) {
    if (act !== "commit" || this.seats[seat].kind !== PERSON) return this.opened[act];
    must(this.personsMayCommit(), "a person has committed before a bot");
    return this.opened.persons ?? this.opened.commit;
  }

  personsMayCommit() {
    return ALL.every((seat) => this.seats[seat].kind === PERSON || this.ceremony.commits[seat]);
  }

  _join(seat, join) {
    must(this.stage === "seating" && !this.seats[seat], `seat ${seat} is not free`);
    must(!this.seats.some((other) => other?.public_key.equals(join.public_key)), "one key in two seats");
    must(!join.public_key.equals(this.house) && join.kind <= 2, "a key or kind that cannot join");
    this.seats[seat] = join;
    if (this.seats.every(Boolean)) this.due = { game_started: null };
  }

  /** In a ceremony, by the only person: the game is over. */
  _leave(seat) {
    const persons = this.seats.filter((one) => one?.kind === PERSON).length;
    must(this.stage === "ceremony" && persons === 1 && this.seats[seat].kind === PERSON, "not written for this: leave");
    this.ends(ABANDONED);
  }

  _commit(seat, { commitment: given }) {
    const { commits, house } = this.ceremony;
    must(this.stage === "ceremony" && !this.ceremony.set && !commits[seat], `seat ${seat} has committed`);
    must(![...commits, house].some((other) => other?.equals(given)), "a commitment is copied");
    commits[seat] = given;
    if (this.seats[seat].kind !== PERSON && this.personsMayCommit()) this.open("persons");
    if (ALL.every((one) => commits[one])) this.due = { commit_set_closed: null };
  }

  _reveal(seat, { ctx, commit_set }) {
    const { revealed, set } = this.ceremony;
    must(this.stage === "ceremony" && set && !revealed.has(seat), `seat ${seat} cannot reveal`);
    must(ctx.equals(this.ceremony.ctx) && commit_set.equals(set), `seat ${seat} reveals over another set`);
    revealed.add(seat);
    if (revealed.size === 4) this.due = this.ceremony.purpose === DRAW ? { hakem_drawn: null } : { dealt: null };
  }

  _name_trump(seat, { suit }) {
    must(this.stage === "trumps" && seat === this.turn && suit <= 3, `seat ${seat} cannot name trumps`);
    Object.assign(this, { stage: "tricks", trumps: suit, trumpsAt: this.version });
    this.open("play");
  }

  _play(seat, { card }) {
    must(this.stage === "tricks" && seat === this.turn && card <= 51, `seat ${seat} cannot play`);
    must(!this.played.some((other) => other.card === card), `${name(card)} is played twice`);
    this.played.push({ seat, card });
    this.trick.push({ seat, card });
    this.hand[seat] = this.hand[seat].filter((other) => other !== card);
    this.turn = (seat + 1) % 4;
    if (this.trick.length === 4) {
      this.turn = taker(this.trick, this.trumps);
      this.tricks[sideOf(this.turn)] += 1;
      this.trick = [];
    }
    this.open("play");
    if (this.tricks.some((count) => count === 7)) {
      this.stage = "between";
      this.due = { round_revealed: null };
    }
  }

  // --- hand notes (6.7) -------------------------------------------------------------------------------------------

  /** A signed note with cards of one of this player's seats; packets come in order. */
  note(seats, { note: bytes, signature }) {
    must(bytes.length <= 256, "a note that is too long");
    must(signed(this.house, HAND, bytes, signature), "a hand note is not signed by the house");
    const note = decode("HandNote", bytes);
    const { seat, packet, cards } = note;
    const place = `${H(note.ctx).toString("hex")} ${seat} ${packet}`;
    const had = this.notes.get(place);
    if (had) {
      must(had.bytes.equals(bytes), "two different hand notes: fraud");
      return;
    }
    must(seats.includes(seat), "a hand note of a seat that is not ours");
    must(note.ctx.equals(this.ceremony.ctx) && this.ceremony.purpose === DEAL, "a hand note of another deal");
    const early = packet === 1 && (seat === this.hakem || this.options.open_first_packet);
    const released = early ? this.dealtAt : this.trumpsAt;
    must(note.version === released && note.leaf.equals(this.leaves[released]), "another entry released these cards");
    must(cards.length === PACKETS[this.options.packets][packet - 1], `packet ${packet} has another size`);
    must(cards.every((card) => card <= 51) && new Set([...this.hand[seat], ...cards]).size
      === this.hand[seat].length + cards.length, "a card twice, or none");
    this.notes.set(place, { ...note, bytes });
    this.hand[seat].push(...cards);
    this.compared.notes += 1;
  }
}
