// Aborts a call at the moment at which it fails; tells what the caller got.
//
// Reads as JSON on stdin what `open` takes, of a server that refuses every call.
// Writes one JSON line { refused, broken }: of a call that the server refused,
// and of one that came to nothing.

import { readFileSync } from 'node:fs';

import { open } from './opening.mjs';

const memory = await open(JSON.parse(readFileSync(0, 'utf8')));
const { client } = memory;
const callTool = client.callTool.bind(client);

/** Aborts when the official client is done with the call, and goes on as told. */
async function aborted(then) {
  const control = new AbortController();
  client.callTool = async (...given) => {
    const result = await callTool(...given);
    control.abort(new Error('called off'));
    return then(result);
  };
  const call = memory.recall({ query: 'heron' }, { signal: control.signal });
  return call.then(() => null, (error) => (error === control.signal.reason ? 'reason' : error.name));
}

const refused = await aborted((result) => result);
const broken = await aborted(() => {
  throw new Error('it broke');
});
await memory.close();
process.stdout.write(`${JSON.stringify({ refused, broken })}\n`, () => process.exit(0));
