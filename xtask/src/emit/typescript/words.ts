/**
 * Words of others as the messages of this package repeat them, and what these
 * say of a call that had no answer.
 */

/** How many characters of others are repeated: the official clients tell every item of a long answer. */
const LONGEST = 300;

/** Returns a text on one line and in few words, without the password of an address; all of it stands in the cause. */
export function shortOf(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').replaceAll(/\/\/[^\s/@]*@/g, '//').trim();
  // A character has two units at most, and half of the last one is beyond what is kept.
  const letters = Array.from(line.slice(0, 2 * LONGEST + 1));
  return letters.length <= LONGEST ? line : `${letters.slice(0, LONGEST).join('')}…`;
}

/** How a call came to nothing, and so what became of it. */
export type Loss = keyof typeof SENTENCES;

const SENTENCES = {
  unreached: ['the server cannot be reached', 'nothing was carried out; see whether it runs, and where, and try again'],
  unopened: ['no connection was opened', 'nothing was carried out; see what the server says in its log, and try again'],
  unsent: ['no call was sent', 'nothing was carried out; mend that, and try again'],
  answered: [
    'something else than a zero-memory server answered',
    'see what stands at that address; if it passed a call on, that may have been carried out',
  ],
  broken: ['the connection broke', 'see whether the server runs; a call on its way may have been carried out'],
} as const;

/** Returns all that is said of a call that had no answer. */
export function lost(why: string, loss: Loss): string {
  const [begin, end] = SENTENCES[loss];
  return `${begin}: ${shortOf(why)}; ${end}`;
}
