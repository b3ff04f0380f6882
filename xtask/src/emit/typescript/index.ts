/**
 * Typed client of a zero-memory server, over the official MCP client.
 */

export * from './additions.js';
export { ZeroMemory } from './client.js';
export * from './contract.js';
export * from './errors.js';
export * from './failures.js';
export { bridgedFetch } from './http.js';
export type { HttpAddress, StdioProgram } from './opening.js';
export type { CallOptions, McpClient, OpenOptions, Options, PromptMessage } from './runtime.js';
