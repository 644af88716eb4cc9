// SPDX-License-Identifier: Apache-2.0
// One stream, followed entry by entry: SPEC.md sections 4.4 and 7. Nothing that the house says is believed: each entry
// is checked for its place in the chain and its signature, each move for its right to stand there, and every ruling is
// made here too, from the entries before, and compared byte for byte.

import { ZEROS, hex, leafOf, must, unframe } from "../bytes.mjs";
import { EVENT, keyId, signed } from "../keys.mjs";
import { decode, encode } from "../messages.mjs";
import { dueAt, lateAt } from "./due.mjs";
import { takeMove } from "./moves.mjs";
import * as rulings from "./rulings.mjs";
import { isWord } from "./word.mjs";

export class Table {
  /** `manifests` are those that count; `rules` the bytes that the first entry must carry, null where any will do. */
  constructor(id, { policy, manifests }, rules = null) {
    Object.assign(this, { id, policy, origin: policy.origin, manifests, rules });
    this.options = null; // the rules, read
    this.entries = [];
    this.leaves = [];
    this.time = 0;
    this.stage = "nothing";
    this.seats = [null, null, null, null];
    this.movesBeforeStart = 0;
    this.gameId = ZEROS;
    this.round = 0;
    this.attempt = 0;
    this.next = null; // in stage "between": the next ceremony, or how the game ends
    this.ceremony = null;
    this.game = null; // the round that is played, or was last
    this.tea = null;
    this.hakem = undefined;
    this.score = [0, 0];
    this.faults = [0, 0];
    this.signers = new Map();
    this.usedKeys = new Set();
    this.spent = new Set(); // commitments and salts of early cards
    this.notes = new Map();
    this.compared = { entries: 0, moves: 0, rulings: 0, notes: 0, cards: 0, commitments: 0, rounds: [] };
  }

  get version() {
    return this.entries.length - 1;
  }

  /** The head of that key's next move, which has seen everything that is here. */
  head(key, seat, joins = false) {
    return {
      game_id: joins ? ZEROS : this.gameId, round: this.round, attempt: this.attempt, seat,
      number: this.signer(key).moves, seen_version: this.version, seen_hash: this.leaves[this.version],
    };
  }

  /** How many moves of that key are in the stream, and what the last of them had seen. */
  signer(key) {
    if (!this.signers.has(hex(key))) this.signers.set(hex(key), { moves: 0, seen: 0 });
    return this.signers.get(hex(key));
  }

  /** No commitment and no salt of an early card serves twice. */
  spend(bytes) {
    must(!this.spent.has(hex(bytes)), "a commitment or salt serves twice");
    this.spent.add(hex(bytes));
  }

  /** One more entry, wholly checked; or one that is here already, equal to it. */
  take(version, entry) {
    if (version <= this.version) {
      must(this.entries[version].equals(entry), `two entries of version ${version}: fraud`);
      return;
    }
    const event = this.#linked(version, entry);
    const { content: what, time_ms: time } = event;
    must(this.stage !== "over", "an entry behind the end");
    const byWord = isWord(this, what, event[what], time);
    const expected = dueAt(this, time) ?? lateAt(this, time) ?? "move";
    must(byWord || what === expected, `${what} stands where ${expected} must`);

    const before = this.time;
    this.time = time;
    this.entries.push(entry);
    this.leaves.push(leafOf(entry));
    this.compared.entries += 1;
    try {
      if (what === "move") takeMove(this, event.move);
      else this.#rule(event, byWord, before);
    } catch (error) {
      this.entries.pop(); // what is not believed is not what a later move, a protest, has seen last
      this.leaves.pop();
      throw error;
    }
  }

  /** The event in an entry, which is the next link of the chain and signed by the house. */
  #linked(version, entry) {
    const { body, id, signature } = unframe(entry);
    const event = decode("Event", body);
    must(event.table.equals(this.id), "an entry of another table");
    must(version === this.version + 1 && event.version === version, `version ${event.version} after ${this.version}`);
    must(event.previous.equals(version ? this.leaves[version - 1] : ZEROS), `version ${version} breaks the chain`);
    must(event.time_ms >= this.time, "time falls");
    if (version === 0) this.#houseOf(event);
    must(id.equals(keyId(`${this.origin}/events`, this.house)), `version ${version} names another key`);
    must(signed(this.house, EVENT, body, signature), `version ${version} is not signed by the house`);
    return event;
  }

  /** A ruling says what it must; `before` is the time of the entry before it. */
  #rule(event, byWord, before) {
    const what = event.content;
    const made = encode("Event", { ...event, [what]: rulings[what](this, event[what], byWord, before) });
    must(made.equals(encode("Event", event)), `${what} says other than the entries before give`);
    this.compared.rulings += 1;
  }

  #houseOf(event) {
    const manifest = this.manifests.get(hex(event.table_opened?.manifest_leaf ?? ZEROS));
    must(manifest, "TableOpened names no manifest that counts");
    this.house = manifest.event_key;
  }
}
