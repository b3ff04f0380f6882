// The client of 1.x is one that the package speaks over, and its transport takes
// the package's way to fetch.

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { bridgedFetch, ZeroMemory } from 'zero-memory-client';

export const over = (client: Client): ZeroMemory => ZeroMemory.over(client, { maxAttempts: 1 });
export const transport = (url: URL): StreamableHTTPClientTransport => new StreamableHTTPClientTransport(url, { fetch: bridgedFetch() });
