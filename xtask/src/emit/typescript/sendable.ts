/**
 * Refuses what no message can carry, before it is sent as something else.
 */

import { failureOf } from './errors.js';
import { TransportError, type ClientError } from './failures.js';

/** Throws `validation_failed` for an argument that JSON would lose or turn into null. */
export function assertSendable(value: unknown, pointer = '', above: readonly object[] = []): void {
  const isNumber = typeof value === 'number' && Number.isFinite(value);
  if (typeof value === 'bigint' || (typeof value === 'number' && !isNumber)) {
    throw refused(pointer, `is ${value}, which JSON has no number for`);
  }
  if (typeof value !== 'object' || value === null) return;
  if (above.includes(value)) throw refused(pointer, 'holds itself');
  const path = [...above, value];
  for (const [name, item] of Object.entries(value)) {
    assertSendable(item, `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`, path);
  }
}

function refused(pointer: string, what: string): ClientError {
  const message = `${pointer} ${what}: send a number, or leave it out`;
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
  throw new TransportError(`${JSON.stringify(name)} makes no header`);
}
