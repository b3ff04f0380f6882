// Tells how long the package would wait, and waits for none of it.
//
// Reads as JSON on stdin what `open` takes. Makes two calls. Writes one JSON
// line: { opening, call, pauses, outcomes }, the first two of which are the
// limits that were set, and the third the waits before a call was sent again.

import { readFileSync } from 'node:fs';

import { open } from './opening.mjs';

/** What is no limit of a call or an opening: the relay asks for pauses of such milliseconds. */
const isPause = (ms) => ms % 1000 === 500;

const given = JSON.parse(readFileSync(0, 'utf8'));
const set = globalThis.setTimeout;
const limits = [];
const pauses = [];
globalThis.setTimeout = (act, ms, ...rest) => {
  if (!isPause(ms)) {
    limits.push(ms / 1000);
    return set(act, ms, ...rest);
  }
  pauses.push(ms / 1000);
  return set(act, 0, ...rest);
};

const outcome = (memory) => memory.recall({ query: 'heron' }).then(() => 'answered', (error) => error.name);

const memory = await open(given);
const opening = limits.splice(0);
const outcomes = [await outcome(memory)];
const call = limits.splice(0);
outcomes.push(await outcome(memory));
await memory.close();
process.stdout.write(`${JSON.stringify({ opening, call, pauses, outcomes })}\n`, () => process.exit(0));
