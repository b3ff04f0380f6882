// Times a typed call beside a raw call of the official client, in turns.
//
// Reads as JSON on stdin { binary, data, sdk, protocol, transport, calls,
// script }. Writes one JSON line: { raw, typed }, each a list of microseconds.

import { readFileSync } from 'node:fs';

import { ZeroMemory } from 'zero-memory-client';

import { connect } from './clients.mjs';
import { startHttp } from './server.mjs';

const settings = JSON.parse(readFileSync(0, 'utf8'));
const { binary, data, sdk, protocol, transport, calls } = settings;
const which = { '1.x': 'sdk1', '2.x': 'client2' }[sdk];
const era = { 2025: 'legacy', 2026: 'modern' }[protocol];
const N_ROWS = 100;
const N_WARM = 100;
const WORDS = ['heron', 'wren', 'swift', 'owl', 'crane', 'finch', 'plover'];

let raw;
let memory;
let stop;
if (transport === 'http') {
  const server = await startHttp(binary, data);
  raw = await connect({ site: server, client: which, transport, era });
  memory = await ZeroMemory.http(server.url, { token: server.token, sdk, protocol });
  stop = () => server.stop();
} else {
  // Both speak over one process: only the code between differs.
  raw = await connect({ binary, data, client: which, transport, era });
  memory = ZeroMemory.over(raw.client);
  stop = () => {};
}

for (let row = 0; row < N_ROWS; row += 1) {
  const words = [0, 1, 2].map((step) => WORDS[(row + step * 2) % WORDS.length]);
  await memory.remember({ scope: 'core', content: `Number ${row} of the ${words.join(', the ')} was seen at the pond.` });
}

async function timed(call) {
  const started = process.hrtime.bigint();
  await call();
  return Number(process.hrtime.bigint() - started) / 1000;
}

const times = { raw: [], typed: [] };
for (let index = 0; index < calls + N_WARM; index += 1) {
  const input = { query: `${WORDS[index % WORDS.length]} pond` };
  const kinds = {
    raw: () => raw.client.callTool({ name: 'recall', arguments: input }),
    typed: () => memory.recall(input),
  };
  const order = index % 2 === 0 ? ['raw', 'typed'] : ['typed', 'raw'];
  for (const kind of order) {
    const time = await timed(kinds[kind]);
    if (index >= N_WARM) times[kind].push(time);
  }
}
await memory.close();
await raw.stop();
await stop();
process.stdout.write(`${JSON.stringify(times)}\n`, () => process.exit(0));
