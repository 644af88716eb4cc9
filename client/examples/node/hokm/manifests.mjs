// SPDX-License-Identifier: Apache-2.0
// Which keys the house signs with, as the root key says: SPEC.md section 2.3.

import { H, Wrong, ZEROS, hex, leafOf, must, unframe } from "./bytes.mjs";
import { KEYS, keyId, signed } from "./keys.mjs";
import { decode } from "./messages.mjs";

const TABLE = Buffer.alloc(16);

/**
 * The manifests that count, by leaf; given is the stream "keys", or what a proof has of it. A root key may hand over to
 * the next one, whose hash it has signed: `roots` are those later keys, and each counts only through that hash.
 */
export function manifestsOf({ manifests: entries, roots = [] }, policy) {
  const counted = new Map();
  let [last, previous, root, before] = [-1, ZEROS, policy.root, null];
  for (const entry of entries) {
    const { body, id, signature } = unframe(entry);
    const manifest = decode("KeyManifest", body);
    must(manifest.table.equals(TABLE) && manifest.origin === policy.origin, "a manifest of another stream");
    must(manifest.version > last, "the manifests are out of order");
    if (manifest.version !== last + 1 || !manifest.previous.equals(previous)) before = null;
    checkRoles(manifest);
    const isBy = (key) => id.equals(keyId(`${policy.origin}/root`, key)) && signed(key, KEYS, body, signature);
    const next = before && roots.find((key) => H(key).equals(before.next_root_hash) && isBy(key));
    const handedOver = root !== policy.root;
    const counts = next || (isBy(root) && (before || !handedOver)); // behind a gap the reader's own root key alone
    root = next ?? root;
    before = counts ? manifest : null;
    [last, previous] = [manifest.version, leafOf(entry)];
    if (counts) counted.set(hex(previous), manifest);
  }
  if (counted.size === 0) throw new Wrong("no manifest is signed by the root key of the policy");
  return counted;
}

/** A key has one role. */
function checkRoles({ event_key: event, log_key: log, operator_keys: operators, revoked_keys: revoked, ...rest }) {
  const keys = [event, log, ...operators, ...revoked];
  must(new Set(keys.map(hex)).size === keys.length, "a key of the house has two roles");
  must(!keys.some((key) => H(key).equals(rest.next_root_hash)), "a key of the house is the next root key");
}
