/**
 * Turns what an official client raises into the failures of this package.
 */

import { failureOfBody, isObject } from './answers.js';
import { failureOf } from './errors.js';
import { ClientError, ProtocolError, TimeoutError, TransportError, UnreadableAnswer, type ZeroMemoryError } from './failures.js';

/** Codes by which the official clients say that time ran out: of 1.x, and of 2.x. */
const TOO_LATE: readonly unknown[] = [-32001, 'REQUEST_TIMEOUT'];

/** The code by which 1.x of the official client says that the connection ended. */
export const CONNECTION_CLOSED = -32000;

/** Codes of JSON-RPC by which either era says that a resource is not there. */
const NO_RESOURCE: readonly unknown[] = [-32002, -32602];

/** How much is repeated of what was raised: the official clients tell every item of a long answer. */
const LONGEST = 300;

interface Raised {
  name?: unknown;
  code?: unknown;
  data?: unknown;
  message?: unknown;
  cause?: unknown;
  /** What is wrong with an answer, of which 1.x tells nothing else. */
  issues?: unknown;
}

/** Returns the failure that stands in what an official client raised. */
export function failureOfRaised(raised: unknown): ClientError {
  if (raised instanceof ClientError) return raised;
  const { name, code, data, cause, issues } = (raised ?? {}) as Raised;
  if (cause instanceof ClientError) return cause;
  // An abort has the same code, without the time.
  const ms = TOO_LATE.includes(code) && isObject(data) ? data['timeout'] : null;
  if (typeof ms === 'number') return new TimeoutError(ms / 1000, raised);
  const refusal = failureOfBody(data);
  if (refusal !== null) return refusal;
  const why = reasonOf(raised);
  const short = shortOf(why);
  // What the official clients say of an answer that they cannot read is theirs alone.
  const isOfShape = Array.isArray(issues) || code === 'INVALID_RESULT' || /structured content/i.test(why);
  const isUnread = isOfShape || name === 'SyntaxError';
  if (isUnread) return new UnreadableAnswer(`an answer cannot be read: ${short}`, null, raised);
  // The codes of JSON-RPC are below nothing; a status of HTTP is not.
  if (typeof code === 'number' && code < 0 && code !== CONNECTION_CLOSED) return new ProtocolError(code, why, data, raised);
  const isStatus = typeof code === 'number' && code >= 100 && !short.includes(`HTTP ${code}`);
  return new TransportError(isStatus ? `HTTP ${code}: ${short}` : short, raised);
}

/** Returns `not_found` when an official client raised that this resource is not there; else null. */
export function missingOf(raised: unknown, uri: string): ZeroMemoryError | null {
  const { code, data, message } = (raised ?? {}) as Raised;
  if (!NO_RESOURCE.includes(code) || !isObject(data) || data['uri'] !== uri) return null;
  return failureOf({ code: 'not_found', message: String(message), prefix: null, details: null });
}

/** Returns a text on one line, without the password of an address; all of it stands in the cause. */
function shortOf(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').replaceAll(/\/\/[^\s/@]*@/g, '//').trim();
  return line.length <= LONGEST ? line : `${line.slice(0, LONGEST)}…`;
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
