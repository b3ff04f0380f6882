// Runs every test vector through the typed methods of the package.
//
// Reads as JSON on stdin what `open` takes and { vectors, work, transport, scenes,
// unset }: a vector has a data folder, and over HTTP a server, of its own. A vector
// with a scene has it set by the program `scenes`; those of a store that is busy
// wait together at one. Those of `unset` are left out.
// Writes one JSON line: { ran, unset, codes, failures }.

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';

import * as kit from 'zero-memory-client';

import { at } from './answers.mjs';
import { filled } from './filled.mjs';
import { open } from './opening.mjs';
import { startHttp } from './server.mjs';

const settings = JSON.parse(readFileSync(0, 'utf8'));

/** The class that each code must come as. */
const CLASSES = {
  validation_failed: kit.ValidationFailedError,
  unauthorized: kit.UnauthorizedError,
  forbidden: kit.ForbiddenError,
  not_found: kit.NotFoundError,
  conflict: kit.ConflictError,
  rate_limited: kit.RateLimitedError,
  internal: kit.InternalError,
};

/** The project that the scenes share. */
const HANDBOOK = 'proj.me.handbook';

/** Makes the calls that come first; answers what they kept. */
async function given(memory, vector) {
  const kept = { empty: '' };
  for (const step of vector.given) {
    const answer = await memory[step.tool](filled(step.input, kept));
    for (const [name, pointer] of Object.entries(step.keep ?? {})) kept[name] = at(answer, pointer);
  }
  return kept;
}

/** Makes the call of a vector; answers what is wrong. */
async function judged(memory, vector, kept) {
  const [answer, error] = await memory[vector.tool](filled(vector.input, kept)).then(
    (answer) => [answer, null],
    (error) => [null, error],
  );
  return vector.error ? problemsOfRefusal(error, vector.error) : problemsOfAnswer(answer, error, vector.expect, kept);
}

function problemsOfAnswer(answer, error, expect, kept) {
  if (error) return [`${error.name}: ${error.message}`];
  return Object.entries(expect ?? {})
    .map(([pointer, wanted]) => [pointer, at(answer, pointer), filled(wanted, kept)])
    .filter(([, value, wanted]) => !isDeepStrictEqual(value, wanted))
    .map(([pointer, value, wanted]) => `${pointer} is ${JSON.stringify(value)} in place of ${JSON.stringify(wanted)}`);
}

function problemsOfRefusal(error, wanted) {
  if (!error) return ['it was taken'];
  const problems = [];
  if (!(error instanceof CLASSES[wanted.code])) problems.push(`${error.name} in place of ${wanted.code}: ${error.message}`);
  if (error.code !== wanted.code) problems.push(`code ${error.code} in place of ${wanted.code}`);
  if (error.prefix !== (wanted.prefix ?? null)) problems.push(`prefix ${error.prefix} in place of ${wanted.prefix}`);
  if (wanted.refused_by === 'schema' && !(typeof error.violations[0]?.pointer === 'string')) problems.push('no violations');
  if (wanted.code === 'rate_limited' && !(error.retryAfterS > 0)) problems.push('no time to wait');
  return problems;
}

/** Opens a server on the folder and a connection to it, for as long as the work takes. */
async function served(data, work, options) {
  const server = settings.transport === 'http' ? await startHttp(settings.binary, data) : undefined;
  try {
    const memory = await open({ ...settings, data, url: server?.url, token: server?.token }, options);
    try {
      return await work(memory);
    } finally {
      await memory.close();
    }
  } finally {
    await server?.stop();
  }
}

const scene = (data, what) => execFileSync('python3', ['-B', settings.scenes, data, what]);

/** Sets the scene of a vector and runs it. */
async function played(vector, data) {
  const isGuest = vector.scene === 'guest';
  if (isGuest || vector.scene === 'host') {
    await served(data, (memory) => memory.entities());
    scene(data, 'shared');
  }
  if (vector.scene === 'host') {
    scene(data, 'writer');
    await served(data, (memory) => memory.remember({ scope: HANDBOOK, content: 'The guest was here.' }));
    scene(data, 'me');
  }
  if (!isGuest) return served(data, async (memory) => judged(memory, vector, await given(memory, vector)));
  const kept = await served(data, (memory) => given(memory, vector));
  scene(data, 'reader');
  return served(data, (memory) => judged(memory, vector, kept));
}

/** Runs all vectors of a store that is busy at once; answers what is wrong with each. */
async function playedBusy(vectors, data) {
  await served(data, (memory) => memory.entities());
  const holder = spawn('python3', ['-B', settings.scenes, data, 'busy'], { stdio: ['pipe', 'pipe', 'inherit'] });
  await once(holder.stdout, 'data');
  try {
    const all = (memory) => Promise.all(vectors.map((vector) => judged(memory, vector, {})));
    return await served(data, all, { maxAttempts: 1 });
  } finally {
    holder.stdin.end();
    await once(holder, 'exit');
  }
}

const failures = [];
const codes = new Set();
const unset = [];
const busy = [];
let ran = 0;

function note(name, vector, problems) {
  ran += 1;
  if (problems.length === 0 && vector.error) codes.add(vector.error.code);
  failures.push(...problems.map((problem) => `${name}: ${problem}`));
}

async function go(work) {
  const data = mkdtempSync(join(settings.work, 'data-'));
  const problems = await work(data).catch((error) => [`${error.name}: ${error.message}`]);
  rmSync(data, { recursive: true, force: true });
  return problems;
}

for (const tool of readdirSync(settings.vectors).sort()) {
  for (const file of readdirSync(join(settings.vectors, tool)).sort()) {
    const vector = JSON.parse(readFileSync(join(settings.vectors, tool, file), 'utf8'));
    const name = `${tool}/${file}`;
    if (settings.unset.includes(name)) unset.push(name);
    else if (vector.scene === 'busy') busy.push({ name, vector });
    else note(name, vector, await go((data) => played(vector, data)));
  }
}
const together = await go((data) => playedBusy(busy.map(({ vector }) => vector), data));
busy.forEach(({ name, vector }, index) => note(name, vector, [together[index] ?? 'it was not played'].flat()));
process.stdout.write(`${JSON.stringify({ ran, unset, codes: [...codes].sort(), failures })}\n`, () => process.exit(0));
