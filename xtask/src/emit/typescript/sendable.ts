/**
 * Refuses what no message can carry, before it is sent as something else.
 */

import { isObject } from './answers.js';
import { failureOf } from './errors.js';
import { TransportError, type ClientError } from './failures.js';

/** How many levels of lists and objects an input may have; servers refuse to read a message of a few more. */
const DEEPEST = 100;

/** Returns an input as it goes over the wire, or throws `validation_failed` for what JSON would lose or turn into null. */
export function sendable(given: unknown): Record<string, unknown> {
  const plain = isObject(given) ? plainOf(given, '', 0) : undefined;
  if (!isObject(plain)) throw refused('', `is ${kindOf(given)}`, 'pass the arguments of the tool as an object');
  return plain;
}

/** Throws `validation_failed` for what is no text, or none that can be sent. */
export function assertText(value: unknown, pointer: string): asserts value is string {
  if (typeof value !== 'string') throw refused(pointer, `is ${kindOf(value)}`, 'pass a text');
  if (/\p{Surrogate}/u.test(value)) {
    throw refused(pointer, 'holds half of a surrogate pair, which is no text', 'send whole characters');
  }
}

/** Returns a text as a part of the address of a resource. */
export function quoted(value: unknown, name: string): string {
  assertText(value, `/${name}`);
  return encodeURIComponent(value);
}

// Everything is looked at once: what a property gives a second time may be something else.
function plainOf(given: unknown, pointer: string, depth: number): unknown {
  const value = valueOf(given, pointer);
  if (typeof value === 'string') assertText(value, pointer);
  if (typeof value === 'bigint' || (typeof value === 'number' && !Number.isFinite(value))) {
    throw refused(pointer, `is ${value}, which JSON has no number for`, 'send a number, or leave it out');
  }
  if (typeof value === 'function' || typeof value === 'symbol' || value instanceof Map || value instanceof Set) {
    throw refused(pointer, `is ${kindOf(value)}, which JSON would lose`, 'send what it holds');
  }
  if (typeof value !== 'object' || value === null) return value;
  if (depth > DEEPEST) {
    // All of the way there would be too much to read.
    const top = pointer.split('/', 2).join('/');
    throw refused(top, `holds itself, or more than ${DEEPEST} levels`, 'send less at once');
  }
  if (!Array.isArray(value)) {
    const entries = Object.keys(value).map((name): [string, unknown] => {
      assertText(name, pointer);
      const below = `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      return [name, plainOf(read(() => (value as Record<string, unknown>)[name], below), below, depth + 1)];
    });
    return Object.fromEntries(entries.filter(([, item]) => item !== undefined));
  }
  return Array.from(value as unknown[], (item, index) => {
    const plain = plainOf(item, `${pointer}/${index}`, depth + 1);
    if (plain === undefined) throw refused(`${pointer}/${index}`, 'is undefined, which JSON would turn into null', 'leave it out');
    return plain;
  });
}

/** Returns what JSON sees of a value. */
function valueOf(given: unknown, pointer: string): unknown {
  const by = typeof given === 'object' && given !== null ? read(() => (given as { toJSON?: unknown }).toJSON, pointer) : undefined;
  const value = typeof by === 'function' ? read(() => by.call(given, '') as unknown, pointer) : given;
  if (value === null && given instanceof Date) throw refused(pointer, 'is a date that is none', 'send one, or leave it out');
  const isBoxed = value instanceof Number || value instanceof String || value instanceof Boolean;
  return isBoxed ? value.valueOf() : value;
}

function read<T>(look: () => T, pointer: string): T {
  try {
    return look();
  } catch (error) {
    throw refused(pointer, `cannot be read (${String(error).slice(0, 200)})`, 'send what it holds');
  }
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object of another kind' : `a ${typeof value}`;
}

function refused(pointer: string, what: string, todo: string): ClientError {
  const message = `${pointer || 'the input'} ${what}: ${todo}`;
  const violations = [{ pointer, rule: 'json', message }];
  return failureOf({ code: 'validation_failed', message, prefix: null, details: { violations } });
}

/** Throws `unauthorized` for a token that no header can carry; it is not shown. */
export function assertToken(token: string): void {
  if (/^[\x21-\x7e]+$/.test(token)) return;
  const message =
    'the token is malformed: it is empty, or holds a space, a line break or a letter beyond ASCII; ' +
    'pass what the file "token" of the data folder holds, without the end of the line';
  throw failureOf({ code: 'unauthorized', message, prefix: null, details: null });
}

/** Throws for a header that is none; its value may be a secret. */
export function assertHeader(name: string, value: string): void {
  if (/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(name) && /^[\t\x20-\x7e]*$/.test(value)) return;
  throw new TransportError(`${JSON.stringify(name)} makes no header`, undefined, 'unsent');
}
