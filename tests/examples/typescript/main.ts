// Remembers a decision, finds it again and closes a task.

import { ConflictError, ZeroMemory, ZeroMemoryError } from 'zero-memory-client';

const { ZERO_MEMORY_URL: url, ZERO_MEMORY_TOKEN: token, ZERO_MEMORY_BIN: command = 'zero-memory' } = process.env;

// A server that runs already, or a child process with the default data folder.
const memory = url === undefined ? await ZeroMemory.stdio({ command, args: ['stdio'] }) : await ZeroMemory.http(url, { token });

try {
  const project_hint = 'https://example.com/acme/shop.git';
  await memory.remember({
    project_hint,
    kind: 'decision',
    content: 'The payment service retries twice, because the provider drops 1 % of calls.',
  });
  const task = await memory.remember({ project_hint, kind: 'task', content: 'Measure how often a payment is retried.' });

  const { memories } = await memory.recall({ query: 'payment retries', project_hint });
  for (const { kind, content } of memories) console.log(`${kind}: ${content}`);

  await memory.close_loop({ memory_id: task.memory_id, resolution: 'Once in 200 payments.' });
  const decision = memories.find(({ kind }) => kind === 'decision');
  if (decision !== undefined) {
    // Only a task can be closed: the server says so by a code, and here it is a type.
    await memory.close_loop({ memory_id: decision.id });
  }
} catch (error) {
  if (error instanceof ConflictError) console.log(`as expected: ${error.message}`);
  else if (error instanceof ZeroMemoryError) console.error(`${error.code}: ${error.message}`, error.violations);
  else throw error;
} finally {
  await memory.close();
}
