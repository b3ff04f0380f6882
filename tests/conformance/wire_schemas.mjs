// Holds results against the protocol's own published schemas, which the
// official conformance suite carries inside. Reads [{version, type, result}]
// and tells on standard output, as JSON, what each schema has against it.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { runInNewContext } from "node:vm";

const require = createRequire(import.meta.url);
const { default: Ajv } = await import(require.resolve("ajv/dist/2020.js"));
const { default: AjvDraft7 } = await import(require.resolve("ajv"));

const bundle = readFileSync(
  new URL("node_modules/@modelcontextprotocol/conformance/dist/index.js", import.meta.url),
  "utf8",
);

// The schemas stand in the bundle as object literals, in the order of the
// revisions that their table names.
const table = /=\{"2025-03-26":([\w$]+),"2025-06-18":([\w$]+),"2025-11-25":([\w$]+),\[[\w$]+\]:([\w$]+)\}/.exec(bundle);
if (!table) throw new Error("the suite no longer carries the schemas of the protocol where they were");
const names = { "2025-06-18": table[2], "2025-11-25": table[3], "2026-07-28": table[4] };

// Returns the text of the object literal that a variable is set to.
function literal(name) {
  const start = bundle.indexOf(`${name}={$schema:`) + name.length + 1;
  let depth = 0;
  let quote = "";
  for (let at = start; at < bundle.length; at += 1) {
    const letter = bundle[at];
    if (letter === "\\") at += 1;
    else if (quote) quote = letter === quote ? "" : quote;
    else if ("`'\"".includes(letter)) quote = letter;
    else if (letter === "{") depth += 1;
    else if (letter === "}" && --depth === 0) return bundle.slice(start, at + 1);
  }
  throw new Error(`the schema ${name} does not end`);
}

const validators = {};
for (const [version, name] of Object.entries(names)) {
  const schema = JSON.parse(JSON.stringify(runInNewContext(`(${literal(name)})`, {})));
  const settings = { strict: false, allErrors: true, formats: { byte: true, uri: true, "uri-template": true } };
  const ajv = schema.$schema.includes("draft-07") ? new AjvDraft7(settings) : new Ajv(settings);
  ajv.addSchema(schema, "protocol");
  const place = schema.$defs ? "$defs" : "definitions";
  validators[version] = (type, result) => {
    const validate = ajv.getSchema(`protocol#/${place}/${type}`);
    if (!validate) return `there is no ${type}`;
    return validate(result) ? "" : ajv.errorsText(validate.errors);
  };
}

const asked = JSON.parse(readFileSync(0, "utf8"));
const faults = asked.map(({ version, type, result }) => validators[version](type, result));
console.log(JSON.stringify(faults));
