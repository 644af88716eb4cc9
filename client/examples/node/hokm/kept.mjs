// SPDX-License-Identifier: Apache-2.0
// What a seat must not forget, on the disk before it is sent anywhere: its key, its numbers, its signed moves. Whoever
// loses a number after the Commit loses the ceremony; whoever signs another set after a crash has signed two.

import { closeSync, existsSync, fsyncSync, openSync, readFileSync, truncateSync, writeSync } from "node:fs";
import { hex, unhex } from "./bytes.mjs";

export class Kept {
  #file;
  #records;

  /** One record a line, the newest last. A line that a crash has torn is dropped: nothing was sent after it. */
  constructor(path) {
    const text = existsSync(path) ? readFileSync(path, "utf8") : "";
    const whole = text.slice(0, text.lastIndexOf("\n") + 1);
    if (whole !== text) truncateSync(path, Buffer.byteLength(whole));
    this.#records = whole.split("\n").slice(0, -1).map((line) => JSON.parse(line, unwritten));
    this.#file = openSync(path, "a", 0o600);
  }

  /** On the disk when this returns. */
  keep(record) {
    writeSync(this.#file, `${JSON.stringify(record, written)}\n`);
    fsyncSync(this.#file);
    this.#records.push(record);
  }

  /** The newest record that has this field (and of it this value). */
  last(field, value) {
    return this.#records.findLast((record) => field in record && (value === undefined || value.equals(record[field])));
  }

  close() {
    closeSync(this.#file);
  }
}

// Bytes as {"hex": "…"}. A Buffer has turned itself into {type, data} by the time that it gets here.
const written = (_field, value) => (value?.type === "Buffer" ? { hex: hex(value.data) } : value);
const unwritten = (_field, value) => (typeof value?.hex === "string" ? unhex(value.hex) : value);
