// Cancels calls, runs out of time, and lives through the end of its server.
//
// Reads as JSON on stdin { binary, data, sdk, protocol, transport }. Writes one
// JSON line with what was seen.

import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { once } from 'node:events';

import { ClientError, ZeroMemory } from 'zero-memory-client';

import { open } from './opening.mjs';
import { startHttp } from './server.mjs';

const settings = JSON.parse(readFileSync(0, 'utf8'));
const { binary, data } = settings;

/** How long all of it may take, in milliseconds. */
const PATIENCE_MS = 120_000;

/** Holds the lock of those who write, so that a write waits. */
async function hold() {
  const program = `import sqlite3, sys
held = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=30)
held.execute('BEGIN IMMEDIATE')
print('held', flush=True)
sys.stdin.read()`;
  const child = spawn('python3', ['-c', program, join(data, 'memory.db')], { stdio: ['pipe', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  return async () => {
    child.stdin.end();
    await once(child, 'exit');
  };
}

/** Passes bytes on to a server, and tells when a call of a tool was among them. */
async function between(url) {
  const target = new URL(url);
  // The real one takes calls by its own name only; both ports have five digits.
  const named = (bytes) => {
    const text = bytes.toString('latin1').replaceAll(`:${server.address().port}`, `:${target.port}`);
    return Buffer.from(text, 'latin1');
  };
  let passed;
  const isCalled = new Promise((resolve) => (passed = resolve));
  const server = createServer((client) => {
    const inner = connect(Number(target.port), target.hostname);
    client.on('data', (bytes) => inner.write(named(bytes), () => bytes.includes('tools/call') && passed()));
    inner.on('data', (bytes) => client.write(bytes));
    for (const [one, other] of [[client, inner], [inner, client]]) {
      one.on('close', () => other.destroy());
      one.on('error', () => other.destroy());
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${server.address().port}/mcp`, isCalled, stop: () => server.close() };
}

const told = (error) => ({
  name: error.name,
  isOurs: error instanceof ClientError,
  hasCause: error.cause !== undefined,
  message: error.message,
});
const heron = { scope: 'core', content: 'A heron stands.' };

/** Makes a write that is cancelled; answers what the caller got. */
function calledOff(memory, { signal }) {
  const call = memory.remember({ ...heron, content: 'A heron was called off.' }, { signal });
  return call.then(() => null, (error) => ({ name: error.name, isReason: error === signal.reason }));
}

/** Cancels a write before it is made, and one that waits. */
async function cancelled(memory, isTaken) {
  const early = await calledOff(memory, { signal: AbortSignal.abort() });
  const control = new AbortController();
  const call = calledOff(memory, control);
  await isTaken();
  control.abort();
  return { early, cancelled: await call };
}

async function overHttp() {
  const server = await startHttp(binary, data);
  const relay = await between(server.url);
  const first = await open({ ...settings, url: server.url, token: server.token });
  await first.remember(heron);
  const release = await hold();
  const memory = await open({ ...settings, url: relay.url, token: server.token });
  const isTaken = async () => {
    await relay.isCalled;
    await memory.recall({ query: 'heron' });
  };
  const report = await cancelled(memory, isTaken);
  report.line = await server.line('outcome="cancelled"');
  report.late = await first.remember({ ...heron, content: 'Too late.' }, { timeoutS: 0.2 }).then(() => null, told);
  await release();
  await memory.close();
  relay.stop();

  // The same object goes on with the next server on the port.
  await server.stop();
  report.down = await first.recall({ query: 'heron' }).then(() => null, told);
  const next = await startHttp(binary, data, new URL(server.url).host);
  report.found = (await first.recall({ query: 'heron' })).memories.length;
  await first.close();
  await next.stop();
  report.closed = await first.recall({ query: 'heron' }).then(() => null, told);
  return report;
}

async function overStdio() {
  const { sdk, protocol } = settings;
  const args = ['stdio', '--toolset', 'full', '--data', data, '--log', 'info'];
  // The number of the process is left where it can be killed by.
  const shell = ['-c', 'echo $$ > pid; exec "$0" "$@"', binary, ...args];
  const memory = await ZeroMemory.stdio({ command: 'sh', args: shell, cwd: data, stderr: 'pipe' }, { sdk, protocol });
  const lines = [];
  const { stderr } = memory.client.transport;
  stderr.on('data', (bytes) => lines.push(bytes));
  await memory.remember(heron);
  const release = await hold();
  // A later call has an answer, so the server has read the one before it.
  const report = await cancelled(memory, () => memory.recall({ query: 'heron' }));
  while (!Buffer.concat(lines).includes('outcome="cancelled"')) await once(stderr, 'data');
  report.line = true;
  await release();
  report.found = (await memory.recall({ query: 'heron' })).memories.length;
  process.kill(Number(readFileSync(join(data, 'pid'), 'utf8')), 'SIGKILL');
  report.down = await memory.recall({ query: 'heron' }).then(() => null, told);
  await memory.close();
  report.closed = await memory.recall({ query: 'heron' }).then(() => null, told);
  return report;
}

// What never comes is not waited for without an end.
setTimeout(() => {
  process.stderr.write('it was waited for in vain\n');
  process.exit(1);
}, PATIENCE_MS).unref();
const report = await (settings.transport === 'http' ? overHttp() : overStdio());
process.stdout.write(`${JSON.stringify(report)}\n`, () => process.exit(0));
