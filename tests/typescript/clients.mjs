// Connects the official clients, 1.x and 2.x, over stdio and HTTP.

import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

import { startHttp } from './server.mjs';

const INFO = { name: 'zero-memory-e2e', version: '0.0.0' };

/** The protocol version that each era must end up with. */
const SPOKEN = { legacy: '2025-11-25', modern: '2026-07-28' };

const CLIENTS = {
  sdk1: { Client: ClientV1, Stdio: StdioV1, Http: HttpV1, options: () => ({}) },
  client2: {
    Client: ClientV2,
    Stdio: StdioV2,
    Http: HttpV2,
    // `auto` probes with server/discover; that it then speaks the modern era
    // is checked below.
    options: (era) => ({ versionNegotiation: { mode: era === 'modern' ? 'auto' : 'legacy' } }),
  },
};

/** Connects, over HTTP to this site or to one that it starts, by this `fetch`; answers `{ client, stop }`. */
export async function connect({ binary, data, site, client: which, transport, era, fetch }) {
  const kit = CLIENTS[which];
  const client = new kit.Client(INFO, kit.options(era));
  if (transport === 'stdio') {
    const pipe = new kit.Stdio({ command: binary, args: ['stdio', '--toolset', 'full', '--data', data], cwd: data, stderr: 'ignore' });
    await client.connect(pipe);
    return checked(client, which, era, () => client.close());
  }
  const server = site ?? (await startHttp(binary, data));
  try {
    const requestInit = { headers: { Authorization: `Bearer ${server.token}` } };
    await client.connect(new kit.Http(new URL(server.url), { requestInit, fetch }));
  } catch (error) {
    await server.stop();
    throw error;
  }
  return checked(client, which, era, async () => {
    await client.close();
    if (site === undefined) await server.stop();
  });
}

async function checked(client, which, era, stop) {
  // Only the 2.x client tells which version was agreed on.
  const spoken = which === 'client2' ? client.getNegotiatedProtocolVersion() : SPOKEN[era];
  if (spoken !== SPOKEN[era]) {
    await stop();
    throw new Error(`speaks ${spoken} in place of ${SPOKEN[era]}`);
  }
  return { client, stop };
}
