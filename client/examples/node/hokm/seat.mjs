// SPDX-License-Identifier: Apache-2.0
// One seat, from its Join to the end of the game: SPEC.md sections 6.3, 11.4, 11.5 and 11.9. It takes what comes on the
// stream, checks it, and signs what its player wants; when the stream is lost it comes back and goes on.

import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { H, Wrong, hex, must, unframe } from "./bytes.mjs";
import { throwing, wishes } from "./choose.mjs";
import { MOVE, publicOf, sign } from "./keys.mjs";
import { decode, encode } from "./messages.mjs";
import { commitSet, commitment, earlyCommitment } from "./numbers.mjs";
import { kindOf } from "./reasons.mjs";
import { takeNote } from "./table/hands.mjs";
import { trickNumber } from "./table/round.mjs";

const TAKEN_OVER = 2; // of the ends of a stream; after every other one the table knows whether to come back
const PROTEST = { BAD_CHAIN: 4, BAD_SET: 5, BAD_HAND: 6 };
const SILENCE_MS = 60_000;
const CLOCKS_MS = 30_000;
const LATER_MS = 250;
const TRIES = 60;
const RETURNS = 3;

/** The bytes of the move in an entry, if it has one. */
const moveIn = (entry) => decode("Event", unframe(entry).body).move?.move;

export class Seat {
  #stream = null;
  #unanswered = null; // one move of a key at a time
  #threwIn = 0; // the last round in which this seat threw a thing
  #declined = new Map(); // acts that the house did not take, and how far the table was then

  /** A seat that was joined with this key; `tell` is told what a person would like to hear. */
  constructor({ session, table, seat, secret, kept, tell }) {
    Object.assign(this, { session, table, seat, secret, key: publicOf(secret), kept, tell });
    const move = kept.last("move");
    if (move && !this.#isLogged(move)) this.#unanswered = move;
  }

  /** Until the game is over, over as many streams as it takes. */
  async play() {
    for (let lost = 0; this.table.stage !== "over"; ) {
      try {
        await this.#attached(() => (lost = 0));
      } catch (error) {
        if (error.protest) await this.#protest(error.protest);
        if (!(await this.session.mayTryAgain(error)) || ++lost === TRIES) throw error;
        this.tell(`the connection is lost (${error.details ?? error.message}), trying again`);
        await sleep(LATER_MS);
      }
    }
  }

  /** As long as one stream lasts. */
  async #attached(heard) {
    const { table, seat } = this;
    const stream = (this.#stream = this.session.play());
    stream.on("error", () => {}); // the loop below is told of it, or has gone
    const lost = Object.assign(new Error("nothing came for a minute"), { code: 14 });
    const silence = setTimeout(() => stream.destroy(lost), SILENCE_MS);
    try {
      const after = this.#resumeAfter();
      stream.write({
        attach: [{ table_id: table.id, after_version: after, seats: [seat] }],
        acts: this.#unanswered ? [this.#act(this.#unanswered)] : [],
      });
      this.#decide(); // nothing new may come until this seat has acted
      for await (const { updates } of stream) {
        silence.refresh();
        heard();
        if (updates.map((update) => this.#take(update)).some(Boolean)) return;
        this.#decide();
        this.#throw();
      }
      throw lost;
    } finally {
      clearTimeout(silence);
      stream.cancel();
    }
  }

  /** In a round its deal comes once more, and with it the cards, of which some may have been on their way. */
  #resumeAfter() {
    const { stage, game, version } = this.table;
    return stage === "round" ? game.dealtAt - 1 : version;
  }

  /** Everything that came about the table; true where nothing more comes on this stream. */
  #take({ table_id: id, first_version: first, entries, hands, refusals, thrown, end }) {
    must(id.equals(this.table.id), "an update of another table");
    if (!this.#comesAgain(first, entries)) entries.forEach((entry, i) => this.#takeEntry(first + i, entry));
    for (const note of hands) this.#believe(PROTEST.BAD_HAND, note, () => takeNote(this.table, [this.seat], note));
    for (const { at } of thrown) this.tell(`something lands at seat ${at}`);
    refusals.forEach((refusal) => this.#refused(refusal));
    must(end !== TAKEN_OVER, "another program plays this seat with the same key");
    return end !== 0;
  }

  /** The answer to bytes that were sent again may be faster than the entries that lead to it. */
  #comesAgain(first, entries) {
    return first > this.table.version + 1 && entries.length === 1 && this.#isAnswer(entries[0]);
  }

  #isAnswer(entry) {
    return Boolean(this.#unanswered) && Boolean(moveIn(entry)?.equals(this.#unanswered.move));
  }

  #takeEntry(version, entry) {
    this.#believe(PROTEST.BAD_CHAIN, { version, entry }, () => this.table.take(version, entry));
    if (!this.#isAnswer(entry)) return;
    this.#unanswered = null;
    const apart = Math.abs(Date.now() - this.table.time);
    if (apart > CLOCKS_MS) this.tell(`this clock and the house's are ${apart} ms apart`);
  }

  #refused({ move_hash: hash, reason, sentence }) {
    must(hash.length, `the seat is not attached: ${sentence}`);
    if (!this.#unanswered || !H(this.#unanswered.move).equals(hash)) return;
    const kind = kindOf(reason);
    if (kind === "wrong") throw new Wrong(`refused: ${reason}, ${sentence}`);
    if (kind === "busy") {
      const again = this.#unanswered;
      setTimeout(() => again === this.#unanswered && this.#write(again), LATER_MS).unref();
      return;
    }
    this.#declined.set(this.#unanswered.act, this.table.version);
    this.#unanswered = null;
  }

  #isLogged({ move }) {
    return this.table.entries.some((entry) => moveIn(entry)?.equals(move));
  }

  // --- what to do now -----------------------------------------------------------------------------------------------

  #decide() {
    if (this.#unanswered || this.table.stage === "over") return;
    for (const wish of this.#wishes()) {
      const act = Object.keys(wish)[0];
      if (this.#declined.get(act) === this.table.version) continue; // not before something has changed
      const { beside, ...content } = wish;
      this.#unanswered = this.#signed(act, content, beside);
      this.#write(this.#unanswered);
      return;
    }
  }

  /** Once in a round. H5 is no move: it is not signed, and no harm is done where it fails. */
  #throw() {
    const thing = throwing(this.table, this.seat);
    if (!thing || this.#threwIn === this.table.round) return;
    this.#threwIn = this.table.round;
    const thrown = this.session.call("tables", "Throw", { table_id: this.table.id, seat: this.seat, ...thing });
    thrown.then(() => this.tell(`thrown at seat ${thing.at}`), (error) => this.tell(`not thrown: ${error.details}`));
  }

  *#wishes() {
    const { table, seat, key } = this;
    const place = table.seats[seat];
    must(place?.key.equals(key), `seat ${seat} is not this player's`);
    if ((place.absent || place.left) && !place.back && place.returns < RETURNS) yield { return_to_seat: {} };
    if (table.stage === "ceremony") yield* this.#ceremony();
    if (place.standIn) return; // who decides for the seat until this player has control again
    for (const wish of wishes(table, seat)) yield "lay" in wish ? this.#early(wish.lay) : wish;
  }

  *#ceremony() {
    const { seat, key, table: { ceremony } } = this;
    if (!ceremony.steps[seat] || !ceremony.holders[seat].public_key.equals(key)) return;
    const { ctx, set } = ceremony;
    const { number } = this.kept.last("ctx", ctx) ?? this.#draw(ctx);
    const mine = commitment(ctx, seat, key, number);
    if (!set) {
      yield { commit: { commitment: mine } };
      return;
    }
    this.#believe(PROTEST.BAD_SET, { set }, () => this.#checkSet(ceremony, mine));
    yield { reveal: { ctx, commit_set: set }, beside: { number } };
  }

  /** 32 bytes that nobody else can know, on the disk before their commitment is sent. */
  #draw(ctx) {
    const record = { ctx, number: randomBytes(32) };
    this.kept.keep(record);
    return record;
  }

  /** 6.3: what must hold before a Reveal is signed. Of chain, signatures and rulings the table has seen to already. */
  #checkSet({ ctx, set, commits, house }, mine) {
    const five = [...commits, house];
    must(commits[this.seat].equals(mine), "the set has another commitment of ours");
    must(new Set(five.map(hex)).size === 5, "two commitments are equal");
    must(set.equals(commitSet(ctx, five)), "the set is another than that of the five");
    const before = this.kept.last("revealed", ctx);
    must(!before || before.set.equals(set), "another set of this ceremony was signed before");
    if (!before) this.kept.keep({ revealed: ctx, set });
  }

  /** A card face down: bound by a commitment, with a fresh salt; both go beside the move, to the house alone. */
  #early(card) {
    const { seat, table: { game } } = this;
    const salt = randomBytes(32);
    const bound = earlyCommitment(game.ctx, trickNumber(game), seat, card, salt);
    return { lay_early: { commitment: bound, open_middle: card === game.middle }, beside: { early: { card, salt } } };
  }

  // --- what is wrong ------------------------------------------------------------------------------------------------

  /** What is not believed is kept, with the bytes that show it; nothing more is signed but the protest. */
  #believe(protest, shown, check) {
    try {
      check();
    } catch (error) {
      if (!(error instanceof Wrong)) throw error;
      this.kept.keep({ wrong: error.message, ...shown });
      throw Object.assign(error, { protest });
    }
  }

  /** Said in the log itself, unless a move is unanswered: its number may be used already. */
  async #protest(reason) {
    const ctx = this.table.ceremony?.ctx;
    if (!ctx || this.#unanswered) return;
    const signed = this.#signed("protest_only", { protest_only: {}, protest: { ctx, reason } });
    try {
      await this.session.call("tables", "Act", { act: this.#act(signed) });
      this.tell("the protest is in the log");
    } catch (error) {
      this.tell(`the protest was not taken: ${error.details ?? error.message}`);
    }
  }

  // --- signing and sending ------------------------------------------------------------------------------------------

  /** A move that has seen everything; on the disk before it is anywhere else. */
  #signed(act, content, beside = {}) {
    const move = encode("Move", { ...this.table.head(this.key, this.seat), ...content });
    const signed = { act, move, signature: sign(this.secret, MOVE, move), beside };
    this.kept.keep(signed);
    return signed;
  }

  #write(signed) {
    this.#stream.write({ acts: [this.#act(signed)] });
  }

  #act({ move, signature, beside }) {
    return { table_id: this.table.id, move, signature, ...beside };
  }
}
