import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { type ChatMessage, createEngine, type Delta, type Finished } from '#engine';
import { withQueryInstruction } from '#models';
import { chatPrompt, greedy, never } from '#test/scripted-engine.ts';
import { openShippedModels } from '#test/shipped-models.ts';

/** The shipped models as they are served, on held-out examples, against the quality that is published for them. */
const folder = new URL('../../models/', import.meta.url);
const shipped = openShippedModels();
const engine = createEngine({ models: shipped.engineModels, log: () => {} });
after(() => engine.close());

/** As many as the engine runs at a time. */
const together = 8;
const longestAnswer = 220;

type FunctionCall = { name: string; arguments: Record<string, unknown> };
type Example = {
  skill: string;
  thinking: boolean;
  messages: { role: string; content: string; reasoning_content?: string; tool_calls?: { function: FunctionCall }[] }[];
  tools?: { function: { name: string; description?: string; parameters?: Record<string, unknown> } }[];
  expected: { content?: string; tool_calls?: FunctionCall[] };
};
type SearchRow =
  | { kind: 'document'; id: number; text: string }
  | { kind: 'query'; text: string; instruction: string; relevant: number[] };
type Floors = {
  'tiny-chat': { exact_match: Record<string, number> };
  'tiny-embed': { 'recall@1': number; 'ndcg@10': number };
};

const read = (path: string) => readFileSync(new URL(path, folder), 'utf8');
const readLines = (path: string) => read(path).trimEnd().split('\n');
const readFloors = (): Floors => JSON.parse(read('floors.json'));

/** Runs the work for all items, `together` at a time; results in their order. */
async function inParallel<Item, Result>(items: readonly Item[], work: (item: Item) => Promise<Result>) {
  const results: Result[] = [];
  const queue = items.entries();
  const worker = async () => {
    for (const [index, item] of queue) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: together }, worker));
  return results;
}

type Answer = { content: string; reasoned: boolean; calls: FunctionCall[]; finished: Finished };

async function answer({ messages, tools = [], thinking }: Example): Promise<Answer> {
  const prompt = {
    ...chatPrompt('fanfold-tiny-chat', ''),
    messages: messages.map(toMessage),
    tools: tools.map(({ function: { name, description, parameters } }) => ({
      name,
      description: description ?? null,
      parameters: parameters ?? null,
    })),
    reasoningEffort: thinking ? null : 'none',
  } as const;
  const { handle } = await engine.prepareChat(prompt, never);
  let content = '';
  let reasoned = false;
  const calls: FunctionCall[] = [];
  const take = (delta: Delta) => {
    if (delta.type === 'content') content += delta.text;
    else if (delta.type === 'reasoning') reasoned = true;
    else calls.push({ name: delta.name, arguments: JSON.parse(delta.arguments) });
  };
  const sampling = { ...greedy, maxTokens: longestAnswer };
  const finished = await engine.generate({ handle, sampling, cacheScope: 'quality', signal: never }, take);
  return { content, reasoned, calls, finished };
}

function toMessage(message: Example['messages'][number]): ChatMessage {
  const { role, content, reasoning_content, tool_calls = [] } = message;
  if (role === 'tool') return { role, content, toolCallId: 'call_0' };
  if (role === 'system' || role === 'user') return { role, content };
  const toolCalls = tool_calls.map(({ function: { name, arguments: args } }, index) => ({
    id: `call_${index}`,
    name,
    arguments: JSON.stringify(args),
  }));
  return { role: 'assistant', content, reasoning: reasoning_content ?? null, toolCalls };
}

/** Whole and exact: reasoning where it was asked for and only there, then the content or the calls. */
function isRight({ expected, thinking }: Example, { content, reasoned, calls, finished }: Answer): boolean {
  if (finished.reason === 'length' || reasoned !== thinking) return false;
  if (expected.tool_calls) return isDeepStrictEqual(calls, expected.tool_calls);
  return calls.length === 0 && content.trim() === (expected.content ?? '').trim();
}

test('the chat model gets at least the published share of each skill exactly right, with and without reasoning', async (t) => {
  const examples = readLines('tiny-chat/heldout.jsonl').map((line): Example => JSON.parse(line));
  const floors = readFloors()['tiny-chat'].exact_match;
  const answers = await inParallel(examples, answer);
  const skills = Object.groupBy(
    examples.map((example, index) => ({ example, got: answers[index] })),
    ({ example }) => example.skill,
  );
  assert.deepEqual(Object.keys(skills).sort(), Object.keys(floors).sort());
  const missed: string[] = [];
  for (const [skill, rows = []] of Object.entries(skills)) {
    assert.deepEqual(new Set(rows.map(({ example }) => example.thinking)), new Set([false, true]), skill);
    const wrong = rows.filter(({ example, got }) => !got || !isRight(example, got));
    const share = 1 - wrong.length / rows.length;
    t.diagnostic(`${skill}: ${share.toFixed(2)} of ${rows.length}, published ${floors[skill]}`);
    const [first] = wrong;
    if (share < (floors[skill] ?? 1))
      missed.push(`${skill} ${share}: ${JSON.stringify(first?.example.expected)}, got ${JSON.stringify(first?.got)}`);
  }
  assert.deepEqual(missed, []);
});

test('the embedding model ranks the held-out questions at least as well as published', async (t) => {
  const rows = readLines('tiny-embed/heldout.jsonl').map((line): SearchRow => JSON.parse(line));
  const floors = readFloors()['tiny-embed'];
  const model = shipped.find('fanfold-tiny-embed');
  assert.ok(model);
  const vectors = await inParallel(rows, (row) => {
    if (row.kind === 'document') return embed(row.text);
    assert.equal(row.instruction, model.queryInstruction);
    return embed(withQueryInstruction(model.queryInstruction, row.text));
  });
  const documents = rows.flatMap((row, index) => (row.kind === 'document' ? [vectors[index]] : []));
  const ranks = rows.flatMap((row, index) =>
    row.kind === 'query' ? [rankOf(row.relevant[0] ?? -1, vectors[index], documents)] : [],
  );
  assert.ok(documents.length >= 100 && ranks.length >= 100);
  const mean = (score: (rank: number) => number) => ranks.reduce((sum, rank) => sum + score(rank), 0) / ranks.length;
  const recall = mean((rank) => (rank === 1 ? 1 : 0));
  const ndcg = mean((rank) => (rank <= 10 ? 1 / Math.log2(rank + 1) : 0));
  t.diagnostic(`recall@1 ${recall.toFixed(3)}, published ${floors['recall@1']}`);
  t.diagnostic(`nDCG@10 ${ndcg.toFixed(3)}, published ${floors['ndcg@10']}`);
  assert.ok(recall >= floors['recall@1'], `recall@1 ${recall}`);
  assert.ok(ndcg >= floors['ndcg@10'], `nDCG@10 ${ndcg}`);
});

async function embed(text: string): Promise<Float32Array> {
  const target = { baseModelId: 'fanfold-tiny-embed', adapter: null };
  const inputs = { target, texts: [text], maxInputTokens: 512, truncate: false };
  const { handle } = await engine.prepareEmbedding(inputs, never);
  const [vector] = (await engine.embed({ handle, signal: never })).vectors;
  assert.ok(vector);
  return vector;
}

/** 1 is the best. Ties count against it. */
function rankOf(relevant: number, query: Float32Array | undefined, documents: readonly (Float32Array | undefined)[]) {
  assert.ok(query);
  const scores = documents.map((document) => query.reduce((sum, value, at) => sum + value * (document?.[at] ?? 0), 0));
  const own = scores[relevant] ?? Number.NaN;
  return scores.filter((score) => score >= own).length;
}
