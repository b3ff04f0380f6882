// Runs the official conformance suite against a server that wants a token, and
// tells on standard output, as JSON, how every check of every scenario ended.
// The suite sends no token, so a relay in this process adds it; everything
// else, a foreign Host or Origin included, goes through as it came.

import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import http from "node:http";
import { fileURLToPath } from "node:url";
import path from "node:path";

const settings = JSON.parse(readFileSync(0, "utf8"));
const target = new URL(`http://${settings.address}`);
const own = { host: "", origin: "" };

const relay = http.createServer((incoming, outgoing) => {
  const headers = { ...incoming.headers, authorization: `Bearer ${settings.token}` };
  // What names this relay has to name the server behind it.
  if (headers.host === own.host) headers.host = target.host;
  if (headers.origin === own.origin) headers.origin = target.origin;
  const onward = http.request(
    { host: target.hostname, port: target.port, path: incoming.url, method: incoming.method, headers },
    (answer) => {
      outgoing.writeHead(answer.statusCode, answer.headers);
      answer.pipe(outgoing);
    },
  );
  onward.on("error", () => outgoing.destroy());
  outgoing.on("close", () => onward.destroy());
  incoming.pipe(onward);
});

await new Promise((resolve) => relay.listen(0, "127.0.0.1", resolve));
own.host = `127.0.0.1:${relay.address().port}`;
own.origin = `http://${own.host}`;

const suite = path.join(
  path.dirname(fileURLToPath(import.meta.url)),
  "node_modules/@modelcontextprotocol/conformance/dist/index.js",
);
const child = spawn(
  process.execPath,
  [suite, "server", "--url", `${own.origin}/mcp`, "--requirements", settings.requirements, "--output-dir", settings.results],
  { stdio: ["ignore", "pipe", "pipe"], cwd: settings.results },
);
let said = "";
for (const stream of [child.stdout, child.stderr]) {
  stream.setEncoding("utf8").on("data", (text) => (said += text));
}
await new Promise((resolve) => child.on("close", resolve));
relay.closeAllConnections();
relay.close();

// One folder a scenario: server-<scenario>-<time>.
const checks = [];
for (const folder of readdirSync(settings.results).sort()) {
  const scenario = /^server-(.*)-\d{4}-\d\d-\d\dT/.exec(folder)?.[1];
  if (scenario === undefined) continue;
  const text = readFileSync(path.join(settings.results, folder, "checks.json"), "utf8");
  for (const { id, status, errorMessage } of JSON.parse(text)) {
    checks.push({ scenario, id, status, why: errorMessage });
  }
}
process.stdout.write(`${JSON.stringify({ checks, said })}\n`);
