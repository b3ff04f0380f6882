/**
 * Turns what an official client raises into the failures of this package.
 */

import { failureOfBody, isObject } from './answers.js';
import { failureOf } from './errors.js';
import { ClientError, ProtocolError, TimeoutError, TransportError, UnreadableAnswer, type ZeroMemoryError } from './failures.js';

/** Codes by which the official clients say that time ran out: of 1.x, and of 2.x. */
const TOO_LATE: readonly unknown[] = [-32001, 'REQUEST_TIMEOUT'];

/** The code by which 1.x of the official client says that the connection ended. */
const CLOSED = -32000;

/** Codes of JSON-RPC by which either era says that a resource is not there. */
const NO_RESOURCE: readonly unknown[] = [-32002, -32602];

interface Raised {
  name?: unknown;
  code?: unknown;
  data?: unknown;
  message?: unknown;
  cause?: unknown;
}

/** Returns the failure that stands in what an official client raised. */
export function failureOfRaised(raised: unknown): ClientError {
  if (raised instanceof ClientError) return raised;
  const { name, code, data, cause } = (raised ?? {}) as Raised;
  if (cause instanceof ClientError) return cause;
  // An abort has the same code, without the time.
  const ms = TOO_LATE.includes(code) && isObject(data) ? data['timeout'] : null;
  if (typeof ms === 'number') return new TimeoutError(ms / 1000, raised);
  const refusal = failureOfBody(data);
  if (refusal !== null) return refusal;
  const why = reasonOf(raised);
  // What the official clients say of an answer that they cannot read is theirs alone.
  const isUnread = name === 'ZodError' || name === 'SyntaxError' || code === 'INVALID_RESULT' || /structured content/i.test(why);
  if (isUnread) return new UnreadableAnswer(`an answer cannot be read: ${why}`, null, raised);
  // The codes of JSON-RPC are below nothing; a status of HTTP is not.
  if (typeof code === 'number' && code < 0 && code !== CLOSED) return new ProtocolError(code, why, data, raised);
  return new TransportError(why, raised);
}

/** Returns `not_found` when an official client raised that this resource is not there; else null. */
export function missingOf(raised: unknown, uri: string): ZeroMemoryError | null {
  const { code, data, message } = (raised ?? {}) as Raised;
  if (!NO_RESOURCE.includes(code) || !isObject(data) || data['uri'] !== uri) return null;
  return failureOf({ code: 'not_found', message: String(message), prefix: null, details: null });
}

/** Returns what is said of it, with what is said of its causes: `fetch failed` alone helps nobody. */
function reasonOf(raised: unknown): string {
  const said: string[] = [];
  for (let next: unknown = raised; next instanceof Error && said.length < 4; next = next.cause) {
    // Several addresses that were tried have a code only.
    const words = next.message || String((next as Raised).code ?? next.name);
    if (!said.includes(words)) said.push(words);
  }
  return said.join(': ') || String(raised);
}
