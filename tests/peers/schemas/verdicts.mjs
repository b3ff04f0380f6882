// What other tools say of pairs of schemas: see verdicts.py beside this file.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

// Two schemas differ in a direction when something was removed, or added.
async function jsonSchemaDiff(old, next) {
  const { diffSchemas } = require("json-schema-diff");
  const found = await diffSchemas({ sourceSchema: old, destinationSchema: next });
  return [found.removalsFound, found.additionsFound];
}

async function jsonSchemaDiffValidator(old, next) {
  const { validateSchemaCompatibility } = require("json-schema-diff-validator");
  const breaks = (source, target) => {
    try {
      validateSchemaCompatibility(source, target);
      return false;
    } catch (error) {
      if (/not backward compatible/.test(error.message)) return true;
      throw error;
    }
  };
  return [breaks(old, next), breaks(next, old)];
}

const PEERS = {
  "json-schema-diff": jsonSchemaDiff,
  "json-schema-diff-validator": jsonSchemaDiffValidator,
};

const { cases } = JSON.parse(readFileSync(process.argv[2], "utf8"));
const answers = {};
for (const [name, peer] of Object.entries(PEERS)) {
  answers[name] = {};
  for (const pair of cases) {
    const copy = structuredClone(pair);
    try {
      answers[name][pair.id] = (await peer(copy.old, copy.new)).map(Boolean);
    } catch (error) {
      answers[name][pair.id] = `${error.name}: ${error.message}`.slice(0, 200);
    }
  }
}
process.stdout.write(JSON.stringify(answers));
