// Makes a few calls and tells all that a caller sees of them.
//
// Reads as JSON on stdin what `open` takes, { options } and
// { calls: [{ method, given, options }] }. Writes one JSON line:
// { contractVersion, warnings, refused, outcomes, complaints }, the last of which
// are what the official client tells whoever listens. With { urls } it only opens
// each of them and writes how they refused, one after the other. With { pids },
// a file, it tells as { left } which of these processes are still there.

import { readFileSync } from 'node:fs';

import { ClientError, ContractMismatch, ZeroMemoryError } from 'zero-memory-client';

import { open } from './opening.mjs';

// What the caller of this script cannot write: half of a surrogate pair, and
// numbers that JSON has no words for.
const NUMBERS = { '<NaN>': NaN, '<Infinity>': Infinity, '<-Infinity>': -Infinity };
const text = readFileSync(0, 'utf8').replaceAll('<half a pair>', '\\ud800');
const settings = JSON.parse(text, (_, value) => NUMBERS[value] ?? value);

function told(error) {
  const { name, message, code } = error;
  const facts = { class: name, message, isOurs: error instanceof ClientError, hasCause: error.cause !== undefined, code };
  if (error instanceof ContractMismatch) return { ...facts, serverVersion: error.serverVersion };
  if (!(error instanceof ZeroMemoryError)) return facts;
  const { prefix, details, retryAfterS, violations } = error;
  return { ...facts, prefix, details, retryAfterS, violations };
}

/** Tells whether a process is there. */
function runs(pid) {
  try {
    return process.kill(Number(pid), 0);
  } catch {
    return false;
  }
}

if (settings.urls !== undefined) {
  const refusals = [];
  for (const url of settings.urls) {
    const opening = open({ ...settings, url }, settings.options);
    refusals.push(await opening.then(() => null, told));
  }
  process.stdout.write(`${JSON.stringify(refusals)}\n`, () => process.exit(0));
  await new Promise(() => {});
}
const warnings = [];
const report = { contractVersion: null, warnings, refused: null, outcomes: [], complaints: [] };
try {
  const memory = await open(settings, { ...settings.options, onWarning: (warning) => warnings.push(warning) });
  report.contractVersion = memory.contractVersion;
  memory.client.onerror = (error) => report.complaints.push(error.message);
  for (const { method, given, options } of settings.calls) {
    const made = method === 'call' ? memory.call(given.tool, given.input) : memory[method](given, options);
    report.outcomes.push(await made.then((answer) => ({ answer }), (error) => ({ error: told(error) })));
  }
  await memory.close();
} catch (error) {
  report.refused = told(error);
}
if (settings.pids !== undefined) report.left = readFileSync(settings.pids, 'utf8').trim().split('\n').filter(runs);
process.stdout.write(`${JSON.stringify(report)}\n`, () => process.exit(0));
