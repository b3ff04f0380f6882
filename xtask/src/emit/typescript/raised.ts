/**
 * Turns what an official client raises into the failures of this package.
 */

import { failureOfBody, isObject } from './answers.js';
import { failureOf } from './errors.js';
import { ClientError, ProtocolError, TimeoutError, TransportError, UnreadableAnswer, type ZeroMemoryError } from './failures.js';
import { type Loss, shortOf } from './words.js';

/** Codes by which the official clients say that time ran out: of 1.x, and of 2.x. */
const TOO_LATE: readonly unknown[] = [-32001, 'REQUEST_TIMEOUT'];

/** The code by which 1.x of the official client says that the connection ended. */
export const CONNECTION_CLOSED = -32000;

/** Names of what the official clients raise for an error of JSON-RPC: of 1.x, and of 2.x. */
const OF_PROTOCOL: readonly string[] = ['McpError', 'ProtocolError'];

/** What is said of a connection that ended, and of a stream that did. */
const ENDED = /connection closed|a stream ended without an answer/i;

/** What is said of an answer that cannot be read, and of one that asks back, which no server of this contract does. */
const UNREAD = /structured content|cannot fulfil input request|still required input after/i;

/** Codes of JSON-RPC by which either era says that a resource is not there. */
const NO_RESOURCE: readonly unknown[] = [-32002, -32602];

/** Calls of the system, and codes, that fail before anything is sent. */
const UNREACHED = /^(connect|getaddrinfo|spawn\b.*|ECONNREFUSED|ENOTFOUND|EAI_AGAIN|UND_ERR_CONNECT_TIMEOUT|NOT_CONNECTED|EPROTO|ERR_SSL_.*|.*CERT.*)$/;

/** What is said of what cannot be sent anywhere. */
const UNSENT = /^(bad port|unknown scheme)$|includes credentials/;

interface Raised {
  name?: unknown;
  code?: unknown;
  data?: unknown;
  message?: unknown;
  cause?: unknown;
  /** What is wrong with an answer, of which 1.x tells nothing else. */
  issues?: unknown;
  /** What the system was asked for. */
  syscall?: unknown;
}

/** Returns the failure that stands in what an official client raised; `otherwise` is the loss where nothing is known of it. */
export function failureOfRaised(raised: unknown, otherwise: Loss = 'broken'): ClientError {
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
  const isOfShape = Array.isArray(issues) || code === 'INVALID_RESULT' || UNREAD.test(why);
  const isUnread = isOfShape || name === 'SyntaxError';
  if (isUnread) return new UnreadableAnswer(`an answer cannot be read: ${short}`, null, raised);
  // What the server answered has any code; the official clients say by one of these that the connection ended.
  const isAnswer = typeof name === 'string' && OF_PROTOCOL.includes(name) && !(code === CONNECTION_CLOSED && ENDED.test(why));
  if (typeof code === 'number' && isAnswer) return new ProtocolError(code, why, data, raised);
  const isStatus = typeof code === 'number' && code >= 100;
  const isTold = !isStatus || short.includes(`HTTP ${code}`);
  return new TransportError(isTold ? short : `HTTP ${code}: ${short}`, raised, isStatus ? 'answered' : (lossOf(raised) ?? otherwise));
}

/** Returns what became of a call, of which only what is sure is said. */
function lossOf(raised: unknown): Loss | null {
  const causes = causesOf(raised);
  // Where several addresses were tried, all of them were not reached, or the one that broke would be told.
  if (causes.some(({ syscall, code, message }) => UNREACHED.test(String(syscall)) || UNREACHED.test(String(code)) || message === 'Not connected')) {
    return 'unreached';
  }
  return causes.some(({ message }) => UNSENT.test(String(message))) ? 'unsent' : null;
}

/** Returns `not_found` when an official client raised that this resource is not there; else null. */
export function missingOf(raised: unknown, uri: string): ZeroMemoryError | null {
  const { code, data, message } = (raised ?? {}) as Raised;
  if (!NO_RESOURCE.includes(code) || !isObject(data) || data['uri'] !== uri) return null;
  return failureOf({ code: 'not_found', message: bare(String(message)), prefix: null, details: null });
}

/** Returns what is said of it, with what is said of its causes: `fetch failed` alone helps nobody. */
function reasonOf(raised: unknown): string {
  // Several addresses that were tried have a code only.
  const said = causesOf(raised).map(({ message, code, name }) => bare(String(message || (code ?? name))));
  return [...new Set(said)].join(': ') || String(raised);
}

/** Returns what the server said: 1.x of the official client puts the code before it. */
function bare(message: string): string {
  return message.replace(/^MCP error -?\d+: /, '');
}

/** Returns an error with the first of its causes. */
function causesOf(raised: unknown): Raised[] {
  const causes: Raised[] = [];
  for (let next: unknown = raised; next instanceof Error && causes.length < 4; next = next.cause) causes.push(next);
  return causes;
}
