/**
 * What stands between the official client and `fetch`: it turns what HTTP
 * refuses into the contract's own errors, and a cancelled request into one
 * that is closed, which a server without sessions understands.
 */

import { failureOfResponse } from './answers.js';
import { failureOf } from './errors.js';
import type { ZeroMemoryError } from './failures.js';

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** Wraps a `fetch`. */
export function bridged(inner: Fetch): Fetch {
  const open = new Map<unknown, AbortController>();
  return async (url, init) => {
    const message = typeof init?.body === 'string' ? messageOf(init.body) : null;
    if (message?.method === 'notifications/cancelled') open.get(message.params?.requestId)?.abort();
    const id = message?.id;
    if (message?.method === undefined || id === undefined) return checked(await inner(url, init));
    const cut = new AbortController();
    const given = init?.signal;
    const pass = () => cut.abort(given?.reason);
    if (given?.aborted) pass();
    given?.addEventListener('abort', pass, { once: true });
    open.set(id, cut);
    try {
      return await checked(await inner(url, { ...init, signal: cut.signal }));
    } finally {
      given?.removeEventListener('abort', pass);
      open.delete(id);
    }
  };
}

interface Message {
  id?: unknown;
  method?: string;
  params?: { requestId?: unknown };
}

function messageOf(body: string): Message | null {
  try {
    return JSON.parse(body) as Message;
  } catch {
    return null;
  }
}

/** Throws the contract's error that a refused request answers with. */
async function checked(response: Response): Promise<Response> {
  if (response.ok) return response;
  const isJson = response.headers.get('content-type')?.includes('application/json') === true;
  const failure = isJson ? failureOfResponse(await response.clone().text()) : null;
  const told = failure ?? toldByStatus(response);
  if (told !== null) throw told;
  return response;
}

/** Returns what a status says by itself, of something before the server that refuses in its own words. */
function toldByStatus({ status, headers }: Response): ZeroMemoryError | null {
  const refused = (code: string, message: string, details: Record<string, unknown> | null) =>
    failureOf({ code, message, prefix: null, details });
  if (status === 401) {
    return refused('unauthorized', 'the token is not known there; pass the one from the file "token" of the data folder', null);
  }
  if (status !== 429) return null;
  const seconds = Number(headers.get('retry-after') ?? NaN);
  return refused('rate_limited', 'no more calls are taken for now; call again later', seconds >= 0 ? { retry_after_s: seconds } : null);
}
