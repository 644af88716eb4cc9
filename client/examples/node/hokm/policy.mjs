// SPDX-License-Identifier: Apache-2.0
// Whom a reader trusts: one log, its root key, and witnesses with a quorum. SPEC.md section 2.4.

import { Wrong, hex, must } from "./bytes.mjs";
import { COSIGNATURE, vkey } from "./keys.mjs";

/** The policy in a file's text, for one log. */
export function policyOf(text) {
  const lines = text.split("\n").map((line) => line.split(/[ \t]+/).filter(Boolean));
  const the = (word) => {
    const found = lines.filter(([first]) => first === word);
    must(found.length === 1, `the policy has ${found.length} lines ${word}`);
    return found[0][1];
  };
  const log = vkey(the("log"));
  const root = vkey(the("#root"));
  must(root.name === `${log.name}/root`, "the root key is another log's");
  const policy = { origin: log.name, log: log.key, root: root.key, names: new Map(), quorum: the("quorum") };
  for (const [word, name, ...rest] of lines) {
    if (word === "witness") policy.names.set(name, vkey(rest[0], COSIGNATURE));
    if (word === "group") policy.names.set(name, { needs: rest[0], members: rest.slice(1) });
  }
  return policy;
}

/** Whether these witnesses, by their keys in hex, are as many as the policy wants. */
export function isQuorum(policy, cosigners) {
  const isMet = (name) => {
    const one = policy.names.get(name);
    if (!one) throw new Wrong(`the policy does not say who ${name} is`);
    if (!one.members) return cosigners.has(hex(one.key));
    const least = { any: 1, all: one.members.length }[one.needs] ?? Number(one.needs);
    return one.members.filter(isMet).length >= least;
  };
  return policy.quorum === "none" || isMet(policy.quorum);
}
