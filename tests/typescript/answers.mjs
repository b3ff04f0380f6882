// What every answer must look like, whatever client reads it.

import { isDeepStrictEqual } from 'node:util';

/** Resolves a JSON pointer; `undefined` when it points nowhere. */
export function at(value, pointer) {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((inner, part) => (inner === undefined || inner === null ? undefined : inner[part]), value);
}

/** Checks a successful answer; answers the list of what is wrong. */
export function problemsOfSuccess(tool, validate, result) {
  const problems = [];
  if (result.isError) return [`isError: ${result.content?.[0]?.text}`];
  const payload = result.structuredContent;
  if (payload === null || typeof payload !== 'object' || Array.isArray(payload)) {
    return ['structuredContent is no object'];
  }
  if (!validate(payload)) problems.push(`outputSchema refuses it: ${JSON.stringify(validate.errors)}`);

  const [first, ...rest] = result.content;
  if (first?.type !== 'text') {
    problems.push('the first block is no text');
  } else if (!isDeepStrictEqual(JSON.parse(first.text), payload)) {
    problems.push('the first text block differs from structuredContent');
  } else if (first.text.includes('\n')) {
    problems.push('the first text block is not compact');
  }

  const footer = rest.at(-1);
  if (footer?.type !== 'text' || footer.text.trim() === '' || footer.text.startsWith('{')) {
    problems.push('the last block is no footer');
  } else {
    const session = payload.session;
    for (const said of [session?.attached_project, session?.thread]) {
      if (said && !footer.text.includes(said)) problems.push(`the footer does not name ${said}`);
    }
    if (tool.annotations.readOnlyHint && !footer.text.includes('remember')) {
      problems.push('the footer does not remind to remember');
    }
  }

  const links = rest.slice(0, -1);
  problems.push(...problemsOfLinks(tool, payload, links));
  return problems;
}

function problemsOfLinks(tool, payload, links) {
  const problems = [];
  if (links.some((block) => block.type !== 'resource_link')) problems.push('a block between is no resource_link');
  if (!tool.annotations.readOnlyHint) {
    if (links.length > 0) problems.push('a write answers with resource links');
    return problems;
  }
  const uris = links.map((link) => link.uri);
  for (const memory of payload.memories ?? []) {
    if (!uris.includes(`zm://memory/${memory.id}`)) problems.push(`no resource_link for ${memory.id}`);
  }
  if (new Set(uris).size !== uris.length) problems.push('a resource_link stands twice');
  for (const link of links) {
    if (!isDeepStrictEqual(link.annotations?.audience, ['assistant'])) problems.push('audience is not the assistant');
    const priority = link.annotations?.priority;
    if (!(priority >= 0 && priority <= 1)) problems.push(`priority ${priority} is out of range`);
  }
  const priorities = links.map((link) => link.annotations?.priority);
  if (priorities.some((priority, index) => index > 0 && priority > priorities[index - 1])) {
    problems.push('priority does not fall with the rank');
  }
  return problems;
}

/** Checks a refused call against `{ code, prefix, refused_by }`. */
export function problemsOfError(result, expected) {
  const problems = [];
  if (result.isError !== true) return [`no error: ${result.content?.[0]?.text}`];
  if ('structuredContent' in result && result.structuredContent !== undefined) {
    problems.push('an error carries structuredContent');
  }
  const first = result.content?.[0];
  if (first?.type !== 'text') return [...problems, 'the first block is no text'];
  let body;
  try {
    body = JSON.parse(first.text);
  } catch {
    return [...problems, `the first block is no JSON: ${first.text}`];
  }
  if (first.text.includes('\n')) problems.push('the error body is not compact');
  const error = body.error;
  const known = new Set(['code', 'message', 'details']);
  if (!isDeepStrictEqual(Object.keys(body), ['error']) || Object.keys(error ?? {}).some((key) => !known.has(key))) {
    problems.push(`the error body has another shape: ${first.text}`);
  }
  if (error?.code !== expected.code) problems.push(`code ${error?.code} in place of ${expected.code}: ${error?.message}`);
  if (typeof error?.message !== 'string' || error.message === '') problems.push('no message');
  if (expected.prefix && !error?.message?.startsWith(expected.prefix)) {
    problems.push(`the message does not start with ${expected.prefix}: ${error?.message}`);
  }
  if (expected.refused_by === 'schema') {
    const violations = error?.details?.violations;
    const complete = (v) => typeof v.pointer === 'string' && typeof v.rule === 'string' && typeof v.message === 'string';
    if (!Array.isArray(violations) || violations.length === 0 || !violations.every(complete)) {
      problems.push(`details.violations is missing: ${first.text}`);
    }
  }
  return problems;
}
