// Hands over what no message can carry, and tells how each was refused.
//
// Reads as JSON on stdin what `open` takes. Writes one JSON line:
// { errors: { name: { class, message } }, found }.

import { readFileSync } from 'node:fs';

import { open } from './opening.mjs';

const HALF = '\ud800';

function nested(depth) {
  let value = [];
  for (let level = 0; level < depth; level += 1) value = [value];
  return value;
}

const circle = {};
circle.kinds = circle;
const ring = [];
ring.push(ring);
let asked = 0;
const failing = { query: 'heron', get k() { throw new Error('no'); } };
const heron = (more) => ({ query: 'heron', ...more });

const memory = await open(JSON.parse(readFileSync(0, 'utf8')));
const handed = {
  'half a pair as a tool': () => memory.call(HALF, {}),
  'half a pair as a name': () => memory.call('recall', { [HALF]: 1 }),
  'half a pair as an id': () => memory.memory(HALF),
  'half a pair in a prompt': () => memory.prompt_brief({ topic: HALF }),
  'no text as a tool': () => memory.call(null),
  'no text as an id': () => memory.memory(3),
  'no text in a prompt': () => memory.prompt_brief({ topic: 3 }),
  'no object as arguments': () => memory.call('recall', 'heron'),
  'a list as arguments': () => memory.call('recall', ['heron']),
  'a cycle': () => memory.call('recall', circle),
  'a cycle of lists': () => memory.recall(heron({ kinds: ring })),
  'a depth that no server reads': () => memory.recall(heron({ kinds: nested(300) })),
  'a depth that no program walks': () => memory.recall(heron({ kinds: nested(20_000) })),
  'a depth in a call by name': () => memory.call('recall', { query: nested(130) }),
  'a property that fails': () => memory.call('recall', failing),
  'a function': () => memory.recall(heron({ k: () => 1 })),
  'a boxed number that is none': () => memory.recall(heron({ k: new Number(NaN) })),
  'a number that is none by toJSON': () => memory.recall(heron({ k: { toJSON: () => NaN } })),
  'a number that is none by a property': () => memory.recall({ query: 'heron', get k() { return NaN; } }),
  'a property that is a number once only': () => memory.recall({ query: 'heron', get k() { return (asked += 1) === 2 ? 1 : NaN; } }),
  'a toJSON that fails': () => memory.recall(heron({ k: { toJSON() { throw new Error('no'); } } })),
  'a date that is none': () => memory.recall(heron({ k: new Date(NaN) })),
  'nothing in a list': () => memory.recall(heron({ kinds: [undefined] })),
  'a number of any size': () => memory.recall(heron({ k: 1n })),
  'a map': () => memory.recall(heron({ kinds: new Map([['fact', 1]]) })),
};
const errors = {};
for (const [name, call] of Object.entries(handed)) {
  try {
    await call();
  } catch (error) {
    errors[name] = { class: error.name, message: error.message };
  }
}
const found = await memory.recall({ query: 'heron', k: new Number(1), thread: undefined });
await memory.recall({ query: 'A heron \u{1f426}.', kinds: Object.freeze(['fact']) });
await memory.close();
process.stdout.write(`${JSON.stringify({ errors, found: found.memories.length })}\n`, () => process.exit(0));
