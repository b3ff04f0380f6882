// Says of every sample whether ajv accepts it.
//
// Reads [{ name, schema, samples }] on stdin, each sample as JSON text; writes
// a list of verdicts for each.

import { readFileSync } from 'node:fs';

import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { fullFormats } from 'ajv-formats/dist/formats.js';

const ajv = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true });
addFormats(ajv);
// ajv-formats also takes what RFC 3339 leaves to an agreement, or to ISO 8601:
// a space in place of the T, and offsets without a colon or minutes.
const { validate } = fullFormats['date-time'];
ajv.addFormat('date-time', { validate: (text) => !/\s|[+-]\d\d(\d\d)?$/.test(text) && validate(text) });
ajv.addKeyword({ keyword: 'x-max-bytes', type: 'string', validate: (limit, text) => Buffer.byteLength(text) <= limit });
for (const keyword of ['x-open-enum', 'x-deprecation']) ajv.addKeyword(keyword);

const cases = JSON.parse(readFileSync(0, 'utf8'));
const verdicts = cases.map(({ schema, samples }) => {
  const accepts = ajv.compile(schema);
  return samples.map((text) => accepts(JSON.parse(text)));
});
process.stdout.write(JSON.stringify(verdicts));
