// Runs every test vector through the typed methods of the package.
//
// Reads as JSON on stdin what `open` takes and { vectors, work, servers }: a
// vector has a data folder, and over HTTP a server, of its own.
// Writes one JSON line: { ran, codes, failures }.

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

async function runVector(memory, vector) {
  const kept = { empty: '' };
  for (const step of vector.given) {
    const answer = await memory[step.tool](filled(step.input, kept));
    for (const [name, pointer] of Object.entries(step.keep ?? {})) kept[name] = at(answer, pointer);
  }
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
  return problems;
}

const failures = [];
const codes = new Set();
let ran = 0;
for (const tool of readdirSync(settings.vectors).sort()) {
  for (const file of readdirSync(join(settings.vectors, tool)).sort()) {
    const vector = JSON.parse(readFileSync(join(settings.vectors, tool, file), 'utf8'));
    if ('scene' in vector) continue;
    const data = mkdtempSync(join(settings.work, 'data-'));
    const server = settings.transport === 'http' ? await startHttp(settings.binary, data) : undefined;
    let problems;
    try {
      const memory = await open({ ...settings, data, url: server?.url, token: server?.token });
      try {
        problems = await runVector(memory, vector);
        if (problems.length === 0 && vector.error) codes.add(vector.error.code);
      } finally {
        await memory.close();
      }
    } catch (error) {
      problems = [`${error.name}: ${error.message}`];
    }
    await server?.stop();
    rmSync(data, { recursive: true, force: true });
    ran += 1;
    failures.push(...problems.map((problem) => `${tool}/${file}: ${problem}`));
  }
}
process.stdout.write(`${JSON.stringify({ ran, codes: [...codes].sort(), failures })}\n`, () => process.exit(0));
