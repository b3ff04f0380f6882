// Runs every test vector with one official client over one transport.
//
// Reads its settings as JSON on stdin: { binary, vectors, work, version,
// client, transport, era }. Writes one JSON line: { ran, failures }.

import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

import { at, problemsOfError, problemsOfSuccess } from './answers.mjs';
import { connect } from './clients.mjs';

const CAPABILITY = 'zero-memory/contract';

const settings = JSON.parse(readFileSync(0, 'utf8'));

/** Replaces `${name}` in every string by what an earlier step kept. */
function filled(value, kept) {
  if (typeof value === 'string') {
    return value.replace(/\$\{(\w+)\}/g, (_, name) => {
      if (!(name in kept)) throw new Error(`nothing was kept as ${name}`);
      return kept[name];
    });
  }
  if (Array.isArray(value)) return value.map((item) => filled(item, kept));
  if (value !== null && typeof value === 'object') {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, filled(item, kept)]));
  }
  return value;
}

async function listAll(client) {
  const tools = [];
  let cursor;
  do {
    const page = await client.listTools(cursor === undefined ? {} : { cursor });
    tools.push(...page.tools);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return tools;
}

let compiled = { list: '', validators: new Map() };

/** Compiles the schemas of a list; one that was seen before is not done anew. */
function validatorsOf(tools) {
  const list = JSON.stringify(tools);
  if (compiled.list === list) return compiled.validators;
  const ajv = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true, allErrors: true });
  addFormats(ajv);
  ajv.addKeyword('x-max-bytes');
  ajv.addKeyword('x-open-enum');
  for (const tool of tools) ajv.compile(tool.inputSchema);
  compiled = { list, validators: new Map(tools.map((tool) => [tool.name, ajv.compile(tool.outputSchema)])) };
  return compiled.validators;
}

async function runVector(client, vector) {
  const problems = [];
  const version = client.getServerCapabilities()?.experimental?.[CAPABILITY]?.version;
  if (version !== settings.version) problems.push(`contract version ${version} in place of ${settings.version}`);

  const listed = await listAll(client);
  const tools = new Map(listed.map((tool) => [tool.name, tool]));
  const validators = validatorsOf(listed);

  const kept = { empty: '' };
  for (const step of vector.given) {
    const result = await client.callTool({ name: step.tool, arguments: filled(step.input, kept) });
    if (result.isError) return [...problems, `given ${step.tool}: ${result.content[0].text}`];
    for (const [name, pointer] of Object.entries(step.keep ?? {})) kept[name] = at(result.structuredContent, pointer);
  }

  const tool = tools.get(vector.tool);
  const result = await client.callTool({ name: vector.tool, arguments: filled(vector.input, kept) });
  if (vector.error) return [...problems, ...problemsOfError(result, vector.error)];
  problems.push(...problemsOfSuccess(tool, validators.get(vector.tool), result));
  for (const [pointer, wanted] of Object.entries(vector.expect ?? {})) {
    const value = at(result.structuredContent, pointer);
    const expected = filled(wanted, kept);
    if (JSON.stringify(value) !== JSON.stringify(expected)) {
      problems.push(`${pointer} is ${JSON.stringify(value)} in place of ${JSON.stringify(expected)}`);
    }
  }
  for (const block of result.content.filter((block) => block.type === 'resource_link')) {
    const read = await client.readResource({ uri: block.uri });
    const row = JSON.parse(read.contents[0].text);
    if (!block.uri.endsWith(row.id)) problems.push(`${block.uri} reads as ${row.id}`);
  }
  return problems;
}

const failures = [];
let ran = 0;
for (const tool of readdirSync(settings.vectors).sort()) {
  for (const file of readdirSync(join(settings.vectors, tool)).sort()) {
    const vector = JSON.parse(readFileSync(join(settings.vectors, tool, file), 'utf8'));
    if ('scene' in vector) continue;
    const data = mkdtempSync(join(settings.work, 'data-'));
    let problems;
    try {
      const { client, stop } = await connect({ ...settings, data });
      try {
        problems = await runVector(client, vector);
      } finally {
        await stop();
      }
    } catch (error) {
      problems = [`${error.name}: ${error.message}`];
    }
    rmSync(data, { recursive: true, force: true });
    ran += 1;
    failures.push(...problems.map((problem) => `${tool}/${file}: ${problem}`));
  }
}
process.stdout.write(`${JSON.stringify({ ran, failures })}\n`, () => process.exit(0));
