/**
 * Opens connections with whichever official client is installed.
 */

import { TimeoutError } from './failures.js';
import { bridged } from './http.js';
import { CLIENT_INFO } from './info.js';
import { milliseconds } from './pauses.js';
import { failureOfRaised } from './raised.js';
import type { McpClient, OpenOptions } from './runtime.js';
import { assertHeader, assertToken } from './sendable.js';

/** Seconds in which a connection opens when the caller sets none: a server answers before it has read its files. */
const LONGEST_OPENING_S = 30;

/** Codes by which Node says that a module is not there, to an import and in a bundle of the older kind. */
const ABSENT: readonly unknown[] = ['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'];

/** A server to start as a child process. */
export interface StdioProgram {
  /** The program, such as `zero-memory`. */
  command: string;
  /** Its arguments, such as `['stdio']`. */
  args?: string[] | undefined;
  /** Its variables; left out, the few that the official client passes on. */
  env?: Record<string, string> | undefined;
  /** The folder it starts in. */
  cwd?: string | undefined;
  /** What becomes of its log; left out, it goes to the log of this process. */
  stderr?: 'inherit' | 'ignore' | 'pipe' | undefined;
}

/** How a server is spoken to over HTTP. */
export interface HttpAddress {
  /** Its token, from the file `token` in its data folder. */
  token?: string | undefined;
  /** Further headers. */
  headers?: Record<string, string> | undefined;
}

type Target = StdioProgram | ({ url: string | URL } & HttpAddress);

/** Connects an official client. */
export async function opened(target: Target, options: OpenOptions): Promise<McpClient> {
  const module2 = await import('@modelcontextprotocol/client').catch(absent);
  const wanted = options.sdk ?? (module2 === null ? '1.x' : '2.x');
  if (wanted === '2.x' && module2 !== null) return with2(module2, target, options.protocol ?? 'auto', options.timeoutS);
  const module1 = wanted === '1.x' ? await import('@modelcontextprotocol/sdk/client/index.js').catch(absent) : null;
  if (module1 === null) {
    throw new TypeError(
      `no official MCP client ${options.sdk ?? ''} is installed; run npm install @modelcontextprotocol/client for 2.x, or @modelcontextprotocol/sdk for 1.x`,
    );
  }
  if (options.protocol === '2026') {
    throw new TypeError('1.x of the official client speaks no protocol of 2026; run npm install @modelcontextprotocol/client');
  }
  return with1(module1, target, options.timeoutS);
}

/** Returns null for an official client that is not installed. */
function absent(error: unknown): null {
  if (ABSENT.includes((error as { code?: unknown }).code)) return null;
  throw error;
}

/** A bundler fails over a module that is not installed, unless its absence is dealt with where it is loaded. */
function missing(error: unknown): never {
  throw error;
}

async function with2(
  { Client, StreamableHTTPClientTransport }: typeof import('@modelcontextprotocol/client'),
  target: Target,
  protocol: 'auto' | '2025' | '2026',
  seconds: number | undefined,
): Promise<McpClient> {
  const modes = { auto: 'auto', '2025': 'legacy', '2026': { pin: '2026-07-28' } } as const;
  const client = new Client(CLIENT_INFO, { versionNegotiation: { mode: modes[protocol] } });
  if ('url' in target) {
    const transport = new StreamableHTTPClientTransport(new URL(target.url), httpOptions(target, protocol === 'auto'));
    await within(seconds, transport, () => client.connect(transport));
  } else {
    const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio').catch(missing);
    const transport = new StdioClientTransport(programOptions(target));
    await within(seconds, transport, () => client.connect(transport));
  }
  return client;
}

async function with1(
  { Client }: typeof import('@modelcontextprotocol/sdk/client/index.js'),
  target: Target,
  seconds: number | undefined,
): Promise<McpClient> {
  const client = new Client(CLIENT_INFO);
  if ('url' in target) {
    const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/sdk/client/streamableHttp.js').catch(missing);
    const transport = new StreamableHTTPClientTransport(new URL(target.url), httpOptions(target, false));
    // Its types say `sessionId: string | undefined` where its interface wants none.
    await within(seconds, transport, () => client.connect(transport as Parameters<typeof client.connect>[0]));
  } else {
    const { StdioClientTransport } = await import('@modelcontextprotocol/sdk/client/stdio.js').catch(missing);
    const transport = new StdioClientTransport(programOptions(target));
    await within(seconds, transport, () => client.connect(transport));
  }
  return client;
}

/** Connects in time, or ends what was begun. */
async function within(
  given: number | undefined,
  transport: { close(): Promise<void>; pid?: number | null },
  connect: () => Promise<void>,
): Promise<void> {
  const seconds = given ?? LONGEST_OPENING_S;
  let isLate = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>((resolve) => {
    const giveUp = (): void => {
      isLate = true;
      resolve();
      ended(transport.pid);
      // What goes on all the same takes a while to be ended, which nobody waits for.
      transport.close().catch(() => undefined);
    };
    timer = setTimeout(giveUp, milliseconds(seconds));
  });
  try {
    await Promise.race([connect(), late]);
  } catch (error) {
    if (!isLate) throw failureOfRaised(error, 'unopened');
  } finally {
    clearTimeout(timer);
  }
  if (isLate) throw new TimeoutError(seconds);
}

/** Ends a program at once: the caller may be gone before the official client does. */
function ended(pid: number | null | undefined): void {
  try {
    if (typeof pid === 'number') process.kill(pid);
  } catch {
    // It ended by itself.
  }
}

function httpOptions({ token, headers }: HttpAddress, hasFallback: boolean) {
  const given: Record<string, string> = { ...headers };
  for (const [name, value] of Object.entries(given)) assertHeader(name, value);
  if (token !== undefined) {
    assertToken(token);
    // Headers of the same name would be sent as one, which nobody knows.
    for (const name of Object.keys(given)) if (name.toLowerCase() === 'authorization') delete given[name];
    given['Authorization'] = `Bearer ${token}`;
  }
  return { requestInit: { headers: given }, fetch: bridged((url, init) => fetch(url, init), hasFallback) };
}

function programOptions({ command, args, env, cwd, stderr }: StdioProgram) {
  return {
    command,
    ...(args === undefined ? {} : { args }),
    ...(env === undefined ? {} : { env }),
    ...(cwd === undefined ? {} : { cwd }),
    ...(stderr === undefined ? {} : { stderr }),
  };
}
