// The client of 1.x is one that the package speaks over.

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { ZeroMemory } from 'zero-memory-client';

export const over = (client: Client): ZeroMemory => ZeroMemory.over(client, { maxAttempts: 1 });
