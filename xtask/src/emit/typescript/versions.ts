/**
 * Judges the contract version that a server announces.
 */

import { ADDITIONS, type Addition } from './additions.js';
import { CONTRACT_CAPABILITY, CONTRACT_VERSION } from './contract.js';
import { ContractMismatch, type ContractWarning } from './failures.js';
import { shortOf } from './words.js';

type Version = [major: number, minor: number, patch: number];

/** How many missing things a warning names before it only counts them. */
const NAMED = 12;

/** Returns the announced version, or null when there is none. */
export function announced(capabilities: { experimental?: unknown } | undefined): string | null {
  const slots = capabilities?.experimental as Record<string, { version?: unknown } | undefined> | undefined;
  const version = slots?.[CONTRACT_CAPABILITY]?.version;
  return typeof version === 'string' ? version : null;
}

/**
 * Says nothing of a server of this minor version or a later one, warns of an
 * older one, and throws `ContractMismatch` for another major version or none,
 * unless it is allowed.
 */
export function judged(serverVersion: string | null, allowOtherMajor: boolean): ContractWarning | null {
  const ours = parsed(CONTRACT_VERSION);
  const theirs = serverVersion === null ? null : parsed(serverVersion);
  if (theirs === null || ours === null || theirs[0] !== ours[0]) {
    if (!allowOtherMajor) throw new ContractMismatch(serverVersion, CONTRACT_VERSION);
    const found = serverVersion === null ? 'announces no contract' : `keeps contract ${shortOf(serverVersion)}`;
    const message = `the server ${found}; this package was made from ${CONTRACT_VERSION}, and nothing is promised between the two`;
    return { kind: 'other_major', serverVersion, clientVersion: CONTRACT_VERSION, missing: [], message };
  }
  if (theirs[1] >= ours[1]) return null;
  const missing = ADDITIONS.filter((addition) => isAfter(addition, theirs));
  const names = missing.slice(0, NAMED).map(spelled);
  if (missing.length > NAMED) names.push(`${missing.length - NAMED} more`);
  const lacks = names.length === 0 ? 'nothing that this package names' : names.join(', ');
  const message = `the server keeps contract ${shortOf(serverVersion ?? '')}, older than ${CONTRACT_VERSION}; it may lack: ${lacks}`;
  return { kind: 'older_server', serverVersion, clientVersion: CONTRACT_VERSION, missing, message };
}

function parsed(text: string): Version | null {
  const found = /^(\d+)\.(\d+)\.(\d+)(?:[-+].*)?$/.exec(text);
  return found === null ? null : [Number(found[1]), Number(found[2]), Number(found[3])];
}

function isAfter(addition: Addition, server: Version): boolean {
  const since = parsed(addition.since);
  return since !== null && since[0] === server[0] && since[1] > server[1];
}

function spelled(addition: Addition): string {
  const { name, place, field } = addition;
  const words = [name, place, field].filter((word) => word !== '');
  return `${words.join(' ')} (since ${addition.since})`;
}
