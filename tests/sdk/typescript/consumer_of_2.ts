// The client of 2.x is one that the package speaks over, and its transport takes
// the package's way to fetch.

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { bridgedFetch, ZeroMemory } from 'zero-memory-client';

export const over = (client: Client): ZeroMemory => ZeroMemory.over(client, { maxAttempts: 1 });
export const transport = (url: URL): StreamableHTTPClientTransport => new StreamableHTTPClientTransport(url, { fetch: bridgedFetch() });
