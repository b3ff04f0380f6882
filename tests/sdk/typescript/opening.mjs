// Opens the package under test with either official client, over stdio or HTTP.

import { bridgedFetch, ZeroMemory } from 'zero-memory-client';

import { connect } from './clients.mjs';

/** The protocol version that each era must end up with. */
const SPOKEN = { 2025: '2025-11-25', 2026: '2026-07-28' };

/**
 * Opens one connection; `given` has { sdk, protocol } and { url, token } or { binary, data, more, env }.
 * With { own } it is over a client that this script connects.
 */
export async function open(given, options = {}) {
  if (given.own === true) return ZeroMemory.over(await ownClient(given), options);
  const { sdk, protocol, url, token, binary, data, more = [], env } = given;
  const all = { sdk, protocol, ...options };
  const args = ['stdio', '--toolset', 'full', '--data', data, ...more];
  const memory =
    url === undefined
      ? await ZeroMemory.stdio({ command: binary, args, cwd: data, env, stderr: 'ignore' }, all)
      : await ZeroMemory.http(url, { token, ...all });
  const spoken = memory.client.getNegotiatedProtocolVersion?.() ?? SPOKEN[2025];
  if (spoken !== SPOKEN[protocol]) throw new Error(`speaks ${spoken} in place of ${SPOKEN[protocol]}`);
  return memory;
}

async function ownClient({ sdk, protocol, url, token }) {
  const client = { '1.x': 'sdk1', '2.x': 'client2' }[sdk];
  const era = { 2025: 'legacy', 2026: 'modern' }[protocol];
  const own = await connect({ site: { url, token }, client, transport: 'http', era, fetch: bridgedFetch() });
  return own.client;
}
