// SPDX-License-Identifier: Apache-2.0
// The way to a server: calls, sign-in, and why a call was refused. SPEC.md sections 11.1, 11.2 and 11.8.

import { setTimeout as sleep } from "node:timers/promises";
import grpc from "@grpc/grpc-js";
import loader from "@grpc/proto-loader";
import { must } from "./bytes.mjs";
import { SIGN_IN, publicOf, sign } from "./keys.mjs";
import { FILES, PROTO } from "./messages.mjs";
import { kindOf, reasonOf } from "./reasons.mjs";

const reading = { keepCase: true, longs: Number, defaults: true, oneofs: true, includeDirs: [PROTO] };
const api = grpc.loadPackageDefinition(loader.loadSync(FILES, reading)).hokm.v1;
const CALL_MS = 30_000;
const TRIES = 40;
const PAUSE_MS = 250;

export class Session {
  #secret = null;
  #origin = "";
  #metadata = new grpc.Metadata();

  /** `certificate` is what the server's must go back to; without one the way is not encrypted. */
  constructor(address, certificate = null) {
    const credentials = certificate ? grpc.credentials.createSsl(certificate) : grpc.credentials.createInsecure();
    const client = (service) => new api[service](address, credentials);
    this.signIns = client("SignInService");
    this.tables = client("TablesService");
    this.log = client("LogService");
  }

  /** Shows by a signature whose key this is; the token is good for some minutes. */
  async signIn(secret = this.#secret, expectedOrigin = this.#origin) {
    const key = publicOf(secret);
    const { challenge, origin } = await this.call("signIns", "GetChallenge", { public_key: key });
    must(origin === expectedOrigin, `the server writes the log ${origin}`);
    const signature = sign(secret, SIGN_IN, Buffer.concat([Buffer.from(`${origin}\n`), challenge]));
    const { token } = await this.call("signIns", "SignIn", { public_key: key, challenge, signature });
    this.#secret = secret;
    this.#origin = origin;
    this.#metadata = new grpc.Metadata();
    this.#metadata.set("authorization", `Bearer ${token}`);
  }

  /** One answer. */
  call(service, method, request) {
    return this.#patiently(() => this.#once(service, method, request));
  }

  /** What may go well a moment later is asked again: of a server that is busy or starting, or with a new token. */
  async #patiently(make) {
    for (let tries = 1; ; tries++) {
      try {
        return await make();
      } catch (error) {
        if (!(await this.mayTryAgain(error)) || tries === TRIES) throw error;
        await sleep(PAUSE_MS);
      }
    }
  }

  #once(service, method, request) {
    const settings = { deadline: Date.now() + CALL_MS };
    return new Promise((resolve, reject) => {
      const settled = (error, answer) => (error ? reject(error) : resolve(answer));
      this[service][method](request, this.#metadata, settings, settled);
    });
  }

  /** Whether the same is worth trying again after this error; a token that is over is replaced on the way. */
  async mayTryAgain(error) {
    if (error.code === grpc.status.UNAUTHENTICATED && this.#secret && reasonOf(error)?.startsWith("TOKEN_")) {
      const secret = this.#secret;
      this.#secret = null; // so that signing in does not end here again
      await this.signIn(secret);
      return true;
    }
    const passing = [grpc.status.UNAVAILABLE, grpc.status.CANCELLED, grpc.status.DEADLINE_EXCEEDED];
    return reasonOf(error) ? kindOf(reasonOf(error)) === "busy" : passing.includes(error.code);
  }

  /** All pieces of a file that comes as a stream. */
  pieces(method, request) {
    return this.#patiently(async () => {
      const pieces = [];
      for await (const { piece } of this.log[method](request)) pieces.push(piece);
      return Buffer.concat(pieces);
    });
  }

  /** The stream for playing: moves in, updates out (11.5). */
  play() {
    return this.tables.Play(this.#metadata);
  }

  close() {
    for (const client of [this.signIns, this.tables, this.log]) client.close();
  }
}
