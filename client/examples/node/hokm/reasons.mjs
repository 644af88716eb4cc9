// SPDX-License-Identifier: Apache-2.0
// Why a call was refused: SPEC.md section 11.8.

import protobuf from "protobufjs";

const { root } = protobuf.parse(`
  syntax = "proto3";
  package google.rpc;
  message Any { string type_url = 1; bytes value = 2; }
  message Status { int32 code = 1; string message = 2; repeated Any details = 3; }
  message ErrorInfo { string reason = 1; string domain = 2; map<string, string> metadata = 3; }
`);
const [Status, ErrorInfo] = ["google.rpc.Status", "google.rpc.ErrorInfo"].map((name) => root.lookupType(name));

/** The reason of 7.8 in an error of grpc-js; undefined where there is none. */
export function reasonOf(error) {
  const [bytes] = error.metadata?.get("grpc-status-details-bin") ?? [];
  if (!bytes) return undefined;
  const info = Status.decode(bytes).details.find(({ typeUrl: url }) => url.endsWith("/google.rpc.ErrorInfo"));
  return info && ErrorInfo.decode(info.value).reason;
}

const CONFLICTS = new Set([
  "NUMBER_NOT_NEXT", "SEEN_FELL", "SEEN_NOT_YET", "SEEN_OTHER", "STALE_MOVE", "VERSION_TAKEN", "WRONG_CONTEXT",
  "WRONG_GAME",
]);
const BUSY = new Set(["LOG_NOT_WRITABLE", "NOT_PUBLISHED", "NOT_WITNESSED", "TABLE_BUSY"]);
/** Rules that an honest move can meet because something else was faster: a turn that came, a deadline, a stand-in. */
const OVERTAKEN = new Set([
  "ALREADY_BACK", "DEADLINE_PASSED", "GAME_IS_OVER", "NOTHING_LAID", "NOT_ABSENT", "NOT_LED", "NOT_OPEN_YET",
  "NOT_YOUR_TURN", "NO_TEA_ASKED", "SEAT_NOT_FREE", "SEAT_STOOD_IN", "STAND_INS_TAKE_NO_TEA", "TEA_IS_SERVED",
  "TEA_NOT_SERVED", "TEA_WAITING", "TURN_HAS_COME", "WRONG_PHASE",
]);

/** What is to be done about a refusal: look again and decide anew, send the same bytes later, or nothing helps. */
export function kindOf(reason) {
  if (CONFLICTS.has(reason) || OVERTAKEN.has(reason)) return "overtaken";
  return BUSY.has(reason) || reason.startsWith("TOO_MANY_") ? "busy" : "wrong";
}
