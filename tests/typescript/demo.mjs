// Stores every dialogue turn of the LoCoMo data set as a memory of a project,
// one project a conversation and one thread a session, and answers its
// questions with recall, through the official client. Prints how often the
// turns that hold the answer are among the first five and ten.
//
// Usage: node demo.mjs PROGRAM locomo10.json

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const [program, file] = process.argv.slice(2);
const samples = JSON.parse(readFileSync(file, "utf8"));
const data = mkdtempSync(join(tmpdir(), "zero-memory-demo-"));
const transport = new StdioClientTransport({
  command: program,
  args: ["stdio", "--data", data],
  stderr: "inherit",
});
const client = new Client({ name: "locomo-demo", version: "1.0.0" });

async function call(name, args) {
  const result = await client.callTool({ name, arguments: args });
  if (result.isError) throw new Error(`${name}: ${result.content[0].text}`);
  return result.structuredContent;
}

/** The sessions of a conversation in order, each with its date and turns. */
function sessions(conversation) {
  return Object.keys(conversation)
    .filter((key) => /^session_\d+$/.test(key))
    .sort((a, b) => Number(a.slice(8)) - Number(b.slice(8)))
    .map((key) => ({ date: conversation[`${key}_date_time`], turns: conversation[key] }));
}

function statement(date, turn) {
  const image = turn.blip_caption ? ` [shares ${turn.blip_caption}]` : "";
  return `(${date}) ${turn.speaker}: ${turn.text}${image}`;
}

/** Returns memory id → turn id of one conversation. */
async function store(sample, project_hint) {
  const turns = new Map();
  for (const { date, turns: said } of sessions(sample.conversation)) {
    let thread;
    for (const turn of said) {
      const stored = await call("remember", {
        kind: "episode",
        project_hint,
        ...(thread ? { thread } : {}),
        content: statement(date, turn),
      });
      thread = stored.session.thread;
      // Two turns may say the same at the same minute: one memory, two ids.
      turns.set(stored.memory_id, [...(turns.get(stored.memory_id) ?? []), turn.dia_id]);
    }
  }
  return turns;
}

/** Asks every question whose evidence can be resolved; category 5 has none. */
async function ask(sample, project_hint, turns, totals) {
  const known = new Set([...turns.values()].flat());
  for (const question of sample.qa) {
    const evidence = (question.evidence ?? []).filter((id) => known.has(id));
    if (question.category === 5 || evidence.length === 0) continue;
    const started = performance.now();
    const { memories } = await call("recall", { k: 10, project_hint, query: question.question });
    totals.ms.push(performance.now() - started);
    const ranked = memories.map((memory) => turns.get(memory.id) ?? []);
    const share = (k) => {
      const shown = new Set(ranked.slice(0, k).flat());
      return evidence.filter((id) => shown.has(id)).length / evidence.length;
    };
    totals.questions += 1;
    totals.at5 += share(5);
    totals.at10 += share(10);
  }
}

try {
  await client.connect(transport);
  const totals = { questions: 0, at5: 0, at10: 0, ms: [] };
  let stored = 0;
  const began = performance.now();
  const conversations = [];
  for (const sample of samples) {
    const hint = `/locomo/${sample.sample_id}`;
    const turns = await store(sample, hint);
    stored += [...turns.values()].flat().length;
    conversations.push([sample, hint, turns]);
  }
  const seconds = (performance.now() - began) / 1000;
  console.log(`${stored} turns stored in ${seconds.toFixed(1)} s, one by one, each on disk before the next.`);
  for (const [sample, hint, turns] of conversations) await ask(sample, hint, turns, totals);
  totals.ms.sort((a, b) => a - b);
  const at = (share) => totals.ms[Math.floor(share * (totals.ms.length - 1))].toFixed(1);
  const percent = (sum) => ((100 * sum) / totals.questions).toFixed(1);
  console.log(`${totals.questions} questions asked. Share of the answering turns among the first 5: ${percent(totals.at5)} %, first 10: ${percent(totals.at10)} %.`);
  console.log(`One recall, client and transport included: median ${at(0.5)} ms, 95th percentile ${at(0.95)} ms.`);
} finally {
  await client.close();
  rmSync(data, { recursive: true, force: true });
}
