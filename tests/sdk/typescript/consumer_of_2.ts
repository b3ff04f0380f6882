// The client of 2.x is one that the package speaks over.

import { Client } from '@modelcontextprotocol/client';
import { ZeroMemory } from 'zero-memory-client';

export const over = (client: Client): ZeroMemory => ZeroMemory.over(client, { maxAttempts: 1 });
