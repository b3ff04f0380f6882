/**
 * Every way in which a call can fail.
 */

import type { Addition } from './additions.js';
import type { ErrorCode, MessagePrefix } from './contract.js';
import { type Loss, lost, shortOf } from './words.js';

/** What of the input broke the schema. */
export interface Violation {
  /** JSON pointer into the input. */
  pointer: string;
  /** The rule of JSON Schema that refused it. */
  rule: string;
  /** What is wrong there. */
  message: string;
}

/** What a server says of a failure, read without trust in its shape. */
export interface Refusal {
  code: ErrorCode;
  message: string;
  prefix: MessagePrefix | null;
  details: Record<string, unknown> | null;
}

/**
 * Any failure of a call, or of the opening; the classes below say which.
 *
 * Only a call that you abort throws something else: the reason of your signal.
 */
export class ClientError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** A failure that the server answered; each code has a class of its own below this one. */
export class ZeroMemoryError extends ClientError {
  /** Callers branch on it; a switch over it is complete. */
  readonly code: ErrorCode;
  /** The stable beginning of the message, if it has one. */
  readonly prefix: MessagePrefix | null;
  /** Structured facts, such as `violations` or `retry_after_s`. */
  readonly details: Record<string, unknown> | null;
  /** Seconds after which the same call may succeed; only for `rate_limited`. */
  readonly retryAfterS: number | null;
  /** Everything that broke the schema of the input; else empty. */
  readonly violations: readonly Violation[];

  constructor(refusal: Refusal) {
    super(refusal.message);
    this.code = refusal.code;
    this.prefix = refusal.prefix;
    this.details = refusal.details;
    const seconds = refusal.details?.['retry_after_s'];
    this.retryAfterS = typeof seconds === 'number' && seconds >= 0 ? seconds : null;
    const violations = refusal.details?.['violations'];
    this.violations = Array.isArray(violations) ? (violations as Violation[]) : [];
  }
}

/** A failure that the server answered with a code that this package does not know: only another major version can. */
export class UnknownCodeError extends ClientError {
  /** The code on the wire. */
  readonly code: string;
  /** Structured facts. */
  readonly details: Record<string, unknown> | null;

  constructor(code: string, message: string, details: Record<string, unknown> | null) {
    super(`${code}: ${message}`);
    this.code = code;
    this.details = details;
  }
}

/** The server keeps another contract than this package, or none. */
export class ContractMismatch extends ClientError {
  /** What the server announced; null when it announced no contract. */
  readonly serverVersion: string | null;
  /** What this package was made from. */
  readonly clientVersion: string;

  constructor(serverVersion: string | null, clientVersion: string) {
    const found = serverVersion === null ? 'announces no contract of zero-memory' : `keeps contract ${shortOf(serverVersion)}`;
    super(
      `the server ${found}, and this package needs ${clientVersion} of the same major version; ` +
        'install the package for that version, or pass allowOtherMajor to go on at your own risk',
    );
    this.serverVersion = serverVersion;
    this.clientVersion = clientVersion;
  }
}

/** No answer to one attempt came in time, or no connection; a call was cancelled at the server. */
export class TimeoutError extends ClientError {
  /** What was waited for it. */
  readonly seconds: number;

  constructor(seconds: number, cause?: unknown) {
    super(
      `no answer came within ${seconds} s; see whether the server is well, allow more with timeoutS, or ask for less`,
      cause === undefined ? undefined : { cause },
    );
    this.seconds = seconds;
  }
}

/** An answer that keeps no contract: what came back is not what was promised. */
export class UnreadableAnswer extends ClientError {
  /** What came back. */
  readonly answer: unknown;

  constructor(what: string, answer: unknown, cause?: unknown) {
    super(
      `${what}; is this a zero-memory server, and does nothing between change its answers?`,
      cause === undefined ? undefined : { cause },
    );
    this.answer = answer;
  }
}

/**
 * The server cannot be reached or started, the connection broke, or something
 * else answered; `cause` is what the official client raised. The message says
 * which, and whether the call may have been carried out.
 */
export class TransportError extends ClientError {
  constructor(why: string, cause?: unknown, loss: Loss = 'broken') {
    super(lost(why, loss), cause === undefined ? undefined : { cause });
  }
}

/** The protocol was broken or refused, as for an unknown tool; `cause` is what the official client raised. */
export class ProtocolError extends ClientError {
  /** The code of JSON-RPC. */
  readonly code: number;
  /** What the server adds. */
  readonly data: unknown;

  constructor(code: number, why: string, data: unknown, cause?: unknown) {
    super(
      `the server answered with protocol error ${code}: ${shortOf(why)}; see whether it has what you asked for`,
      cause === undefined ? undefined : { cause },
    );
    this.code = code;
    this.data = data;
  }
}

/** What a caller should know of the server that it reached. */
export interface ContractWarning {
  /** `older_server`: some of what this package knows is missing there. `other_major`: nothing is promised. */
  kind: 'older_server' | 'other_major';
  serverVersion: string | null;
  clientVersion: string;
  /** What the server may lack. */
  missing: readonly Addition[];
  /** All of it in a sentence. */
  message: string;
}
