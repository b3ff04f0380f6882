/**
 * What every call goes through: the official client below, the contract's
 * errors, retries and the judged version above.
 */

import { payloadOf, resourceOf, type ToolResult } from './answers.js';
import { UnknownCodeError, UnreadableAnswer, ZeroMemoryError, type ContractWarning } from './failures.js';
import { opened, type HttpAddress, type StdioProgram } from './opening.js';
import { assertAmounts, milliseconds, paused } from './pauses.js';
import { failureOfRaised, missingOf } from './raised.js';
import { assertText, sendable } from './sendable.js';
import { announced, judged } from './versions.js';

/** How this package behaves; every one of them may be left out. */
export interface Options {
  /** How often a call is sent in all when the server answers `rate_limited`: 3; 1 sends it once. */
  maxAttempts?: number | undefined;
  /** Seconds that are waited for at most each time before a call is sent again: 60. A longer wait is an error at once. */
  maxWaitS?: number | undefined;
  /**
   * Seconds for one attempt of a call, and for the opening; waits between attempts (`maxWaitS` each, `maxAttempts` in all) come on top.
   * Left out, 60 for an attempt, as the official client has it, and 30 for the opening.
   */
  timeoutS?: number | undefined;
  /** Whether a server of another major version, or one that announces no contract, is spoken to: false. */
  allowOtherMajor?: boolean | undefined;
  /** Takes what should be known of the server; left out, `console.warn`. */
  onWarning?: ((warning: ContractWarning) => void) | undefined;
}

/** How a connection is opened. */
export interface OpenOptions extends Options {
  /** Which official client is used: 2.x or 1.x of the package; left out, 2.x where it is installed, else 1.x. */
  sdk?: '1.x' | '2.x' | undefined;
  /** Which era of the protocol is spoken: `auto`, `2025` or `2026`; only 2.x of the official client knows the last one. */
  protocol?: 'auto' | '2025' | '2026' | undefined;
}

/** What may be said of one call. */
export interface CallOptions {
  /** Cancels the call, also while it waits to be sent again; the server is told, and the caller gets the reason of the signal. */
  signal?: AbortSignal | undefined;
  /** Seconds for one attempt of this call; waits between attempts (`maxWaitS` each, `maxAttempts` in all) come on top. */
  timeoutS?: number | undefined;
}

/** A message of a prompt, as the official client gives it. */
export interface PromptMessage {
  role: 'user' | 'assistant';
  content: { type: string; text?: string; [field: string]: unknown };
}

/**
 * The part of an official client that is used. Both the `Client` of
 * `@modelcontextprotocol/client` (2.x) and that of `@modelcontextprotocol/sdk`
 * (1.x) are one.
 */
export interface McpClient {
  // The two differ in the arguments after the first, which are told apart at run time.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  callTool(params: { name: string; arguments?: Record<string, unknown> }, ...rest: any[]): Promise<unknown>;
  readResource(params: { uri: string }, options?: RequestOptions): Promise<unknown>;
  getPrompt(params: { name: string; arguments?: Record<string, string> }, options?: RequestOptions): Promise<unknown>;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  getServerCapabilities(): { experimental?: any } | undefined;
  /** Only of 2.x. */
  getNegotiatedProtocolVersion?(): string | undefined;
  close(): Promise<void>;
}

interface RequestOptions {
  signal?: AbortSignal;
  timeout?: number;
}

/** What the methods of `ZeroMemory` stand on. */
export class Runtime {
  /** The official client, for whatever is beside the contract. */
  readonly client: McpClient;
  /** The contract version that the server announced; null when it announced none. */
  readonly contractVersion: string | null;
  /** What should be known of the server; null when it is as new as this package. */
  readonly warning: ContractWarning | null;
  readonly #options: Options;

  /** Use `over`, `stdio` or `http`. */
  constructor(client: McpClient, options: Options) {
    assertOptions(options);
    this.client = client;
    this.#options = options;
    this.contractVersion = announced(client.getServerCapabilities());
    this.warning = judged(this.contractVersion, options.allowOtherMajor ?? false);
    if (this.warning !== null) (options.onWarning ?? warned)(this.warning);
  }

  /**
   * Speaks over an official client that is connected already.
   *
   * @throws {ContractMismatch} when the server keeps another major version of the contract, or none.
   */
  static over<T extends Runtime>(this: new (client: McpClient, options: Options) => T, client: McpClient, options: Options = {}): T {
    return new this(client, options);
  }

  /** Starts a server as a child process and speaks to it over its pipes; `close` ends it. */
  static async stdio<T extends Runtime>(
    this: new (client: McpClient, options: Options) => T,
    program: StdioProgram,
    options: OpenOptions = {},
  ): Promise<T> {
    assertOptions(options);
    return ready(this, opened(program, options), options);
  }

  /** Speaks to a server over HTTP; `url` is that of its MCP endpoint, such as http://127.0.0.1:8787/mcp. */
  static async http<T extends Runtime>(
    this: new (client: McpClient, options: Options) => T,
    url: string | URL,
    options: OpenOptions & HttpAddress = {},
  ): Promise<T> {
    assertOptions(options);
    return ready(this, opened({ url, ...options }, options), options);
  }

  /**
   * Calls a tool by name, with the errors and retries of the typed methods:
   * for what a later minor version of the contract adds.
   */
  async call(tool: string, input: object = {}, options: CallOptions = {}): Promise<unknown> {
    assertText(tool, 'the name of the tool');
    const params = { name: tool, arguments: sendable(input) };
    return this.#retried(options, async () => {
      const request = this.#request(options);
      const isNewer = this.client.getNegotiatedProtocolVersion !== undefined;
      const result = isNewer ? this.client.callTool(params, request) : this.client.callTool(params, undefined, request);
      return payloadOf((await result) as ToolResult);
    });
  }

  /** Ends the connection, and the server too when `stdio` started it. */
  async close(): Promise<void> {
    await this.client.close();
  }

  protected async read(uri: string, options: CallOptions = {}): Promise<unknown> {
    return this.#retried(options, async () => {
      try {
        const result = await this.client.readResource({ uri }, this.#request(options));
        return resourceOf(result as { contents?: unknown });
      } catch (raised) {
        throw missingOf(raised, uri) ?? raised;
      }
    });
  }

  protected async prompt(name: string, given: object = {}, options: CallOptions = {}): Promise<PromptMessage[]> {
    const present = Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== undefined);
    for (const [key, value] of present) assertText(value, `/${key}`);
    return this.#retried(options, async () => {
      const params = { name, arguments: Object.fromEntries(present) };
      const result = (await this.client.getPrompt(params, this.#request(options))) as { messages?: unknown };
      if (!Array.isArray(result.messages)) throw new UnreadableAnswer('a prompt was answered without messages', result);
      return result.messages as PromptMessage[];
    });
  }

  #request(options: CallOptions): RequestOptions {
    const seconds = options.timeoutS ?? this.#options.timeoutS;
    const request: RequestOptions = {};
    if (options.signal !== undefined) request.signal = options.signal;
    if (seconds !== undefined) request.timeout = milliseconds(seconds);
    return request;
  }

  /** Sends again what the server refused only for now: nothing was done then. */
  async #retried<T>(options: CallOptions, send: () => Promise<T>): Promise<T> {
    assertAmounts(options, 'timeoutS');
    const attempts = this.#options.maxAttempts ?? 3;
    for (let attempt = 1; ; attempt += 1) {
      options.signal?.throwIfAborted();
      try {
        return await send();
      } catch (raised) {
        const error = failureOfRaised(raised);
        // The official clients wrap the reason of an abort, each in its own way.
        const isAnswered = error instanceof ZeroMemoryError || error instanceof UnknownCodeError;
        if (!isAnswered) options.signal?.throwIfAborted();
        if (!(error instanceof ZeroMemoryError) || error.code !== 'rate_limited' || attempt >= attempts) throw error;
        const seconds = error.retryAfterS ?? 1;
        if (seconds > (this.#options.maxWaitS ?? 60)) throw error;
        await paused(seconds, options.signal);
      }
    }
  }
}

async function ready<T extends Runtime>(
  make: new (client: McpClient, options: Options) => T,
  opening: Promise<McpClient>,
  options: Options,
): Promise<T> {
  const client = await opening;
  try {
    return new make(client, options);
  } catch (error) {
    // Nobody else could close what was opened here.
    await client.close();
    throw error;
  }
}

function assertOptions(options: Options): void {
  assertAmounts(options, 'maxAttempts', 'maxWaitS', 'timeoutS');
}

function warned(warning: ContractWarning): void {
  console.warn(`zero-memory: ${warning.message}`);
}
