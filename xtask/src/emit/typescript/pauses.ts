/**
 * Time, as timers take it.
 */

/** What a timer can wait for at most; it would not wait at all for more. */
const LONGEST_MS = 2 ** 31 - 1;

/** Returns what a timer takes for so many seconds. */
export function milliseconds(seconds: number): number {
  return Math.min(seconds * 1000, LONGEST_MS);
}

/** Throws for a number that is none, which a timer takes for nothing, and one below nothing. */
export function assertAmounts(given: object, ...names: string[]): void {
  for (const name of names) {
    const value = (given as Record<string, unknown>)[name];
    if (value === undefined || (typeof value === 'number' && value >= 0)) continue;
    throw new TypeError(`${name} is ${String(value)}; pass a number from 0 on, or leave it out`);
  }
}

/** Waits, unless it is aborted. */
export function paused(seconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, milliseconds(seconds));
    if (signal?.aborted === true) return stop();
    signal?.addEventListener('abort', stop, { once: true });
  });
}
