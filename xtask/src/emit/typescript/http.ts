/**
 * What stands between the official client and `fetch`: it turns what HTTP
 * refuses into the contract's own errors, and a cancelled request into one
 * that is closed, which a server without sessions understands.
 */

import { failureOfResponse } from './answers.js';

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
  if (response.ok || !response.headers.get('content-type')?.includes('application/json')) return response;
  const failure = failureOfResponse(await response.clone().text());
  if (failure !== null) throw failure;
  return response;
}
