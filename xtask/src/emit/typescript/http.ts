/**
 * What stands between the official client and `fetch`: it turns what HTTP
 * refuses into the contract's own errors, and a cancelled request into one
 * that is closed, which a server without sessions understands.
 */

import { failureOfResponse, isObject } from './answers.js';
import type { ErrorCode } from './contract.js';
import { failureOf } from './errors.js';
import { TransportError, type ZeroMemoryError } from './failures.js';
import { CONNECTION_CLOSED } from './raised.js';

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/**
 * Returns a `fetch` for the HTTP transport of a client of your own, which `over` then speaks over:
 * what HTTP refuses comes as an error of the contract, and a call that is aborted is cancelled at the server too. Each client needs one of its own: calls are told apart by their number.
 *
 * @param inner What it stands on; left out, the global `fetch`.
 */
export function bridgedFetch(inner: Fetch = (url, init) => fetch(url, init)): Fetch {
  // Only the series that knows both eras asks that question, and then knows what to make of a refusal.
  return bridged(inner, true);
}

/** Wraps a `fetch`; `hasFallback` tells whether a server of the era before is asked in its own way when a first question is refused. */
export function bridged(inner: Fetch, hasFallback: boolean): Fetch {
  const open = new Map<unknown, AbortController>();
  return async (url, init) => {
    // Without a message it asks for a stream, which the official client does without when there is none.
    if (typeof init?.body !== 'string') return inner(url, init);
    const message = messageOf(init.body);
    if (message?.method === 'notifications/cancelled') open.get(message.params?.requestId)?.abort();
    const id = message?.id;
    if (message?.method === undefined || id === undefined) return checked(await inner(url, init));
    const cut = new AbortController();
    const given = init?.signal;
    const pass = () => cut.abort(given?.reason);
    if (given?.aborted) pass();
    given?.addEventListener('abort', pass, { once: true });
    open.set(id, cut);
    const close = () => {
      given?.removeEventListener('abort', pass);
      open.delete(id);
    };
    let isStream = false;
    try {
      const response = await checked(await inner(url, { ...init, signal: cut.signal }));
      const { ok, status } = response;
      isStream = ok && kindOf(response) === 'text/event-stream';
      if (isStream) return streamed(response, id, close);
      const isProbe = hasFallback && message.method === 'server/discover' && status >= 400 && status < 500;
      return isProbe ? response : await readable(response, id);
    } finally {
      if (!isStream) close();
    }
  };
}

interface Message {
  id?: unknown;
  method?: string;
  params?: { requestId?: unknown };
}

function messageOf(body: string): Message | null {
  return jsonOf(body) as Message | null;
}

/** Throws the contract's error that a refused request answers with. */
async function checked(response: Response): Promise<Response> {
  if (response.ok) return response;
  const isJson = kindOf(response) === 'application/json';
  const failure = isJson ? failureOfResponse(await response.clone().text()) : null;
  const told = failure ?? toldByStatus(response);
  if (told !== null) throw told;
  return response;
}

/** Returns a response that the official client can read: of others, it tells each in another way, or nobody. */
async function readable(response: Response, id: unknown): Promise<Response> {
  const { ok, status } = response;
  const text = await response.text();
  const body = kindOf(response) === 'application/json' ? jsonOf(text) : null;
  if (isAnswer(body)) {
    // It was read here, and is not read again: that takes as long as all else that is done to a call.
    if (body['id'] === id && ok) return Object.assign(response, { json: async () => body });
    const isUnnamed = body['id'] === null || body['id'] === undefined || !ok;
    if (isUnnamed && isObject(body['error'])) return Response.json({ ...body, id });
  }
  const what = ok ? ` with ${kindOf(response) || 'nothing'}, which is no answer` : '';
  throw new TransportError(`HTTP ${status}${what}`, new Error(text.slice(0, 1000) || `HTTP ${status}`), 'answered');
}

/** Passes a stream on, and says at its end that nothing comes any more, unless the answer was in it. */
function streamed({ status, headers, body }: Response, id: unknown, close: () => void): Response {
  const reader = body?.getReader();
  const decoder = new TextDecoder();
  let line = '';
  let isAnswered = false;
  const message = `a stream ended without an answer (HTTP ${status})`;
  // A line that was broken off ends first.
  const last = `\n\nevent: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, error: { code: CONNECTION_CLOSED, message } })}\n\n`;
  const passed = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const next = await reader?.read().catch(() => undefined);
      if (next?.done === false) {
        const lines = (line + decoder.decode(next.value, { stream: true })).split(/\r\n|\r|\n/);
        line = lines.pop() ?? '';
        isAnswered ||= lines.some((each) => isEventOf(each, id));
        return controller.enqueue(next.value);
      }
      close();
      // An answer whose last line was not ended is one, too.
      const isTold = isAnswered || isEventOf(line, id);
      controller.enqueue(new TextEncoder().encode(isTold ? '\n\n' : last));
      controller.close();
    },
    async cancel(reason) {
      close();
      await reader?.cancel(reason);
    },
  });
  return new Response(passed, { status, headers });
}

/** Tells whether a line of a stream holds the answer to a request. */
function isEventOf(line: string, id: unknown): boolean {
  const body = line.startsWith('data:') ? jsonOf(line.slice('data:'.length)) : null;
  return isAnswer(body) && body['id'] === id;
}

/** Returns the media type of an answer. */
function kindOf({ headers }: Response): string {
  return headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? '';
}

/** Tells whether a body is what JSON-RPC answers a request with. */
function isAnswer(body: unknown): body is Record<string, unknown> {
  if (!isObject(body) || body['jsonrpc'] !== '2.0') return false;
  const { error } = body;
  if (isObject(error)) return typeof error['code'] === 'number' && typeof error['message'] === 'string';
  return isObject(body['result']);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

/** Returns what a status says by itself, of something before the server that refuses in its own words. */
function toldByStatus({ status, headers }: Response): ZeroMemoryError | null {
  const refused = (code: ErrorCode, message: string, details: Record<string, unknown> | null) =>
    failureOf({ code, message, prefix: null, details });
  if (status === 401) {
    return refused('unauthorized', 'the token is not known there; pass the one from the file "token" of the data folder', null);
  }
  if (status !== 429) return null;
  // Digits and nothing else: what JavaScript reads as a number is more than that.
  const after = /^[0-9]+$/.exec(headers.get('retry-after')?.trim() ?? '')?.[0];
  const details = after === undefined ? null : { retry_after_s: Number(after) };
  return refused('rate_limited', 'no more calls are taken for now; call again later', details);
}
