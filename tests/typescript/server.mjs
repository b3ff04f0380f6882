// Starts the real binary for one client and stops it again.

import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** How long a server may take to listen, in milliseconds. */
const START_MS = 20_000;

/** Servers that run; a script that fails leaves none behind. */
const running = new Set();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/**
 * Starts `serve` on a free port, or on this one; answers `{ url, token, stop,
 * line }`: `line` waits for a line of its log that holds a text.
 */
export async function startHttp(binary, data, listen = '127.0.0.1:0') {
  const child = spawn(binary, ['serve', '--toolset', 'full', '--data', data, '--listen', listen], {
    cwd: data,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  const stop = () =>
    new Promise((resolve) => {
      if (child.exitCode !== null || child.signalCode !== null) return resolve();
      child.once('exit', resolve);
      child.kill('SIGKILL');
    });
  const lines = [];
  const waiting = [];
  const listening = new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no listening line: ${lines.join('\n')}`)), START_MS);
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`exited with ${code}: ${lines.join('\n')}`)));
    createInterface({ input: child.stderr }).on('line', (line) => {
      lines.push(line);
      for (const look of waiting) look();
      const found = /listening on (http:\/\/[^\s/]+)/.exec(line);
      if (found) {
        clearTimeout(timer);
        resolve(found[1]);
      }
    });
  });
  try {
    const origin = await listening;
    const token = readFileSync(join(data, 'token'), 'utf8').trim();
    const line = (text) =>
      new Promise((resolve) => {
        const look = () => lines.some((each) => each.includes(text)) && resolve(true);
        waiting.push(look);
        look();
      });
    return { url: `${origin}/mcp`, token, stop, line };
  } catch (error) {
    await stop();
    throw error;
  }
}
