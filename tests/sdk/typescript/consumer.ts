// What a stranger's program relies on, checked by the compiler alone: every
// line with @ts-expect-error must be refused, and every other one taken.

import { ClientError, type ErrorCode, type Failure, type Kind, ProtocolError, RateLimitedError, TransportError, UnknownCodeError, ZeroMemory, ZeroMemoryError } from 'zero-memory-client';

export async function all(memory: ZeroMemory): Promise<string> {
  const { memories, session } = await memory.recall({ query: 'heron', k: 3 }, { signal: AbortSignal.timeout(1000), timeoutS: 2 });
  const kind: Kind | undefined = memories[0]?.kind;
  const project: string | null | undefined = session?.attached_project;
  await memory.list_scopes();
  await memory.prompt_brief({ topic: 'heron' });
  const row = await memory.memory('mem_00000000000000000000000000');
  // An open enum takes what a later minor version adds.
  const { conflicts } = await memory.list_conflicts();
  const cause: string | undefined = conflicts[0]?.cause;

  // @ts-expect-error a query is required
  await memory.recall({});
  // @ts-expect-error there is no such argument
  await memory.recall({ query: 'heron', limit: 3 });
  // @ts-expect-error nor such a tool
  await memory.guess({ query: 'heron' });
  // @ts-expect-error nor such a kind
  await memory.remember({ content: 'A heron stands.', kind: 'hunch' });
  // @ts-expect-error a field that the contract does not have
  row.colour;
  return [kind, project, row.content, cause].join();
}

/** A switch over the codes is complete without a default. */
export function advice(code: ErrorCode): string {
  switch (code) {
    case 'validation_failed':
    case 'unauthorized':
    case 'forbidden':
    case 'not_found':
    case 'conflict':
    case 'internal':
      return 'give up';
    case 'rate_limited':
      return 'wait';
  }
}

export function wait(error: Failure | unknown): number | null {
  if (error instanceof RateLimitedError) {
    const code: 'rate_limited' = error.code;
    return code === 'rate_limited' ? error.retryAfterS : null;
  }
  // @ts-expect-error no code is called so
  if (error instanceof ZeroMemoryError && error.code === 'gone') return 0;
  return null;
}

/** Every failure has one class above it, and those that nobody answered have theirs. */
export function told(error: unknown): string {
  if (!(error instanceof ClientError)) return 'not of this package';
  if (error instanceof TransportError) return `lost: ${String(error.cause)}`;
  if (error instanceof UnknownCodeError) {
    const code: string = error.code;
    // @ts-expect-error none of the seven stands there
    const known: ErrorCode = error.code;
    return code + known;
  }
  if (error instanceof ProtocolError) return `code ${error.code.toFixed(0)}`;
  // @ts-expect-error only a refusal has a code of the contract
  return error.code;
}
