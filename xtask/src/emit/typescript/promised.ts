/**
 * Judges an answer by what the contract promises of it: what is required is
 * there, and everything known is of its type in JavaScript: any number, and any
 * text where words are listed. What is unknown is left alone.
 */

import { isObject } from './answers.js';
import { UnreadableAnswer, type ContractWarning } from './failures.js';

/**
 * What is promised of a value: its type by `typeof`, a list by what its items
 * are, an object by its fields, of which those with `?` at the end may be left
 * out; `[…, null]` may be null, and `null` is anything.
 */
export type Promised = string | null | readonly [Promised] | readonly [Promised, null] | { readonly [field: string]: Promised };

/** Returns an answer that is what was promised; a server of another version, which was warned of, promised less. */
export async function kept(
  from: { readonly warning: ContractWarning | null },
  name: string,
  promised: Promised,
  answer: Promise<unknown>,
): Promise<unknown> {
  const value = await answer;
  const pointer = from.warning === null ? brokenAt(promised, value, '') : null;
  if (pointer === null) return value;
  throw new UnreadableAnswer(`the answer of ${name} breaks the contract at ${pointer || 'its root'}`, value);
}

/** Returns where a value is not what is promised, as a JSON pointer, or null when it is. */
function brokenAt(promised: Promised, value: unknown, pointer: string): string | null {
  if (promised === null) return null;
  if (typeof promised === 'string') return typeof value === promised ? null : pointer;
  if (isList(promised)) {
    if (promised.length === 2) return value === null ? null : brokenAt(promised[0], value, pointer);
    if (!Array.isArray(value)) return pointer;
    return first(value.keys(), (index) => brokenAt(promised[0], value[index], `${pointer}/${index}`));
  }
  if (!isObject(value)) return pointer;
  return first(Object.keys(promised), (field) => {
    const name = field.replace('?', '');
    const isLeftOut = name !== field && value[name] === undefined;
    return isLeftOut ? null : brokenAt(promised[field] ?? null, value[name], `${pointer}/${name}`);
  });
}

function isList(promised: Promised): promised is readonly [Promised] | readonly [Promised, null] {
  return Array.isArray(promised);
}

function first<T>(items: Iterable<T>, look: (item: T) => string | null): string | null {
  for (const item of items) {
    const found = look(item);
    if (found !== null) return found;
  }
  return null;
}
