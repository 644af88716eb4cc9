// SPDX-License-Identifier: Apache-2.0
// What is kept is there after a crash, also after one in the middle of a line.

import assert from "node:assert/strict";
import { appendFileSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { Kept } from "../hokm/kept.mjs";

function inFolder(check) {
  const folder = mkdtempSync(join(tmpdir(), "kept-"));
  try {
    check(join(folder, "kept"));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test("bytes come back as bytes, the newest first, by name and by value", () => inFolder((path) => {
  const [one, two, number] = [1, 2, 3].map((octet) => Buffer.alloc(32, octet));
  const kept = new Kept(path);
  kept.keep({ ctx: one, number });
  kept.keep({ ctx: two, number: one });
  kept.close();
  const again = new Kept(path);
  assert.deepEqual(again.last("ctx", one), { ctx: one, number });
  assert.deepEqual(again.last("ctx"), { ctx: two, number: one });
  assert.equal(again.last("ctx", number), undefined);
  assert.equal(again.last("move"), undefined);
  again.close();
}));

test("a line that was torn is as if it had never been begun", () => inFolder((path) => {
  const first = new Kept(path);
  first.keep({ seat: 1 });
  first.close();
  appendFileSync(path, '{"seat": ');
  const second = new Kept(path);
  assert.deepEqual(second.last("seat"), { seat: 1 });
  second.keep({ seat: 2 });
  second.close();
  const third = new Kept(path);
  assert.deepEqual(third.last("seat"), { seat: 2 });
  third.close();
}));

test("nobody else reads it", () => inFolder((path) => {
  new Kept(path).close();
  assert.equal(statSync(path).mode & 0o077, 0);
}));
