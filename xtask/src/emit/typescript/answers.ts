/**
 * Reads what the server answered.
 */

import { ERROR_CODES, type ErrorCode, MESSAGE_PREFIXES, PREFIX_CODES } from './contract.js';
import { failureOf } from './errors.js';
import { UnknownCodeError, UnreadableAnswer, type ZeroMemoryError } from './failures.js';

/** The part of a tool's result that is read, whichever client it comes from. */
export interface ToolResult {
  isError?: boolean | undefined;
  structuredContent?: unknown;
  content?: unknown;
}

/** Returns what a tool answered, or throws what it refused with. */
export function payloadOf(result: ToolResult): unknown {
  const text = firstText(result.content);
  if (result.isError === true) {
    const failure = text === null ? null : failureOfText(text);
    throw failure ?? new UnreadableAnswer('a call failed without an error of the contract', result);
  }
  const payload = result.structuredContent ?? (text === null ? null : json(text));
  if (!isObject(payload)) throw new UnreadableAnswer('a call was answered without an object', result);
  return payload;
}

/** Returns the shape that a resource holds. */
export function resourceOf(result: { contents?: unknown }): unknown {
  const first: unknown = Array.isArray(result.contents) ? result.contents[0] : null;
  const text = isObject(first) ? first['text'] : null;
  const value = typeof text === 'string' ? json(text) : null;
  if (!isObject(value)) throw new UnreadableAnswer('a resource was answered without JSON', result);
  return value;
}

/** Returns the error that a text says, or null when it is no error body. */
export function failureOfText(text: string): ZeroMemoryError | UnknownCodeError | null {
  return failureOfBody(json(text));
}

/** The same of what HTTP answered: the body itself, or an error of JSON-RPC that carries it. */
export function failureOfResponse(text: string): ZeroMemoryError | UnknownCodeError | null {
  const body = json(text);
  const error = isObject(body) ? body['error'] : null;
  return failureOfBody(isObject(error) ? error['data'] : null) ?? failureOfBody(body);
}

/** The same of a body that is read already. */
export function failureOfBody(body: unknown): ZeroMemoryError | UnknownCodeError | null {
  const error = isObject(body) ? body['error'] : null;
  if (!isObject(error)) return null;
  const { code, message, details } = error;
  if (typeof code !== 'string' || typeof message !== 'string') return null;
  const facts = isObject(details) ? details : null;
  if (!isKnown(code)) return new UnknownCodeError(code, message, facts);
  const prefix = MESSAGE_PREFIXES.find((known) => PREFIX_CODES[known] === code && message.startsWith(known)) ?? null;
  return failureOf({ code, message, prefix, details: facts });
}

function isKnown(code: string): code is ErrorCode {
  return (ERROR_CODES as readonly string[]).includes(code);
}

function firstText(content: unknown): string | null {
  const first: unknown = Array.isArray(content) ? content[0] : null;
  return isObject(first) && first['type'] === 'text' && typeof first['text'] === 'string' ? first['text'] : null;
}

function json(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

/** Tells whether a value is an object of JSON. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
