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
