import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { chatMlTemplate, type RandomModel, smallShape, specialTokens, writeRandomModel } from '#test/random-model.ts';
import type { ToolDefinition } from '../port.ts';
import { formats } from '../text/formats/formats.fixture.ts';
import { examples } from '../text/formats/templates.fixture.ts';
import { OutputParser } from '../text/output-parser.ts';
import { openModel } from './binding.ts';
import { ChildDriver, finishedOf, smallConfig, userPrompt, type Written } from './child-driver.fixture.ts';
import { Generation } from './generation.ts';
import { createVocabulary } from './vocabulary.ts';

const folder = mkdtempSync(join(tmpdir(), 'fanfold-strict-'));
after(() => rmSync(folder, { recursive: true }));

const many = <Each>(count: number, each: (at: number) => Each) => Array.from({ length: count }, (_, at) => each(at));
const marker = '<tool_call>';
const opening = `${marker}\n{"name": "`;
/** A model that draws nearly evenly from these begins calls all the time, in all ways in which tokens may spell a tag. */
const words = [
  ...many(60, (at) => `x${at}<tool_call`),
  ...many(20, (at) => `x${at}<tool`),
  ...many(20, (at) => `_call>${at}`),
  ...many(30, (at) => `>${at}`),
  ...many(opening.length - marker.length, (at) => opening.slice(10, 12 + at)),
  ...many(20, (at) => `x${at}<tool_call>`),
  ...many(10, (at) => `<tool_call>${at}`),
  ...many(opening.length - marker.length, (at) => `y${opening.slice(0, 12 + at)}`),
  ...['_call>', '_call>\n', '<<', '<div>', '\u{1f642}<tool_call>'],
];
/** Think tags in an answer are not shown: text around one could look like the beginning of a call that is none. */
const special = specialTokens.filter(([text]) => !text.includes('think'));
const model = { shape: smallShape, seed: 3, kind: 'text', spread: 0.05, ends: true, special, words } as const;

async function start(name: string, change: Partial<RandomModel> = {}): Promise<ChildDriver> {
  const ggufPath = join(folder, `${name}.gguf`);
  writeRandomModel(ggufPath, { ...model, ...change });
  return ChildDriver.start({ ...smallConfig, ggufPath });
}

const note: ToolDefinition = {
  name: 'note',
  description: null,
  parameters: {
    type: 'object',
    properties: {
      level: { type: 'string', enum: ['low', 'high'] },
      times: { type: 'integer', minimum: 1, maximum: 99 },
    },
    required: ['level', 'times'],
    additionalProperties: false,
  },
  strict: true,
};
const stop: ToolDefinition = { name: 'stop', description: null, parameters: null, strict: true };
const fits: Record<string, RegExp> = {
  note: /^\{"level":"(low|high)","times":[1-9][0-9]?\}$/,
  stop: /^\{\}$/,
};

const seeds = many(40, Number);

function write(child: ChildDriver, seed: number, more: Parameters<typeof userPrompt>[1]): Promise<Written> {
  const sampling = { maxTokens: 200, temperature: 1, seed, presencePenalty: seed % 2 };
  // Answers of the same seed are compared: none may find more in the cache than another.
  return child.write(userPrompt('Go on', more), sampling, `${seed} ${JSON.stringify(more)}`);
}

function callsOf({ deltas }: Written) {
  return deltas.flatMap((delta) => (delta.type === 'tool_call' ? [delta] : []));
}

/** How often an answer writes the beginning of a call as text. */
function markersIn({ deltas }: Written): number {
  const text = deltas.map((delta) => (delta.type === 'content' ? delta.text : '\n')).join('');
  return text.split(marker).length - 1;
}

/** How many calls an answer has; each fits, and only one that was cut is text. */
function countHeld(answer: Written): number {
  const calls = callsOf(answer);
  for (const call of calls) assert.match(call.arguments, fits[call.name] ?? /never/, JSON.stringify(call));
  const markers = markersIn(answer);
  assert.ok(markers === 0 || (markers === 1 && finishedOf(answer).usage.completionTokens === 200), answer.content);
  return calls.length;
}

/** What an answer says before its first call. */
function saidFirst({ deltas }: Written): string {
  const first = deltas.findIndex(({ type }) => type === 'tool_call');
  const before = (first < 0 ? deltas : deltas.slice(0, first)).map((delta) =>
    delta.type === 'content' ? delta.text : '',
  );
  return before.join('').split(marker)[0]?.trimEnd() ?? '';
}

const xmlTemplate = examples.find(({ name }) => name === 'a tag for each parameter')?.source ?? '';
const tools = [note, stop];
const loose = tools.map(({ strict: _strict, ...tool }) => tool);

for (const [syntax, template] of [
  ['JSON', chatMlTemplate],
  ['XML', xmlTemplate],
] as const) {
  test(`whatever tokens a call begins with, as ${syntax} it is one of a strict tool that fits its schema`, async (t) => {
    const child = await start(syntax, { template });
    t.after(() => child.stop());
    let [held, texts, freeMarkers, freeCalls] = [0, 0, 0, 0];
    for (const seed of seeds) {
      const answer = await write(child, seed, { tools });
      held += countHeld(answer);
      if (saidFirst(answer) !== '') texts += 1;
      const free = await write(child, seed, { tools: loose });
      freeMarkers += markersIn(free);
      freeCalls += callsOf(free).length;
    }
    assert.ok(held > 0 && texts > 0, 'the model both writes and calls');
    assert.ok(freeMarkers > freeCalls, 'without strict tools the same model writes what is no call');
  });
}

test('of a tool that is not strict the arguments are any object', async (t) => {
  const child = await start('mixed');
  t.after(() => child.stop());
  const { strict: _strict, ...open } = { ...note, name: 'open' };
  let [held, other] = [0, 0];
  for (const seed of seeds) {
    for (const call of callsOf(await write(child, seed, { tools: [open, stop] }))) {
      const given: unknown = JSON.parse(call.arguments);
      assert.ok(typeof given === 'object' && given !== null && !Array.isArray(given));
      assert.ok(call.name === 'open' || call.name === 'stop', call.name);
      if (call.name === 'stop') held += 1;
      else if (!fits['note']?.test(call.arguments)) other += 1;
      assert.ok(call.name === 'open' || call.arguments === '{}');
    }
  }
  assert.ok(held > 0 && other > 0);
});

test('what the model says before it calls is what it says without strict tools', async (t) => {
  const child = await start('plain', { special: specialTokens, words: [], spread: 0.1 });
  t.after(() => child.stop());
  let [calls, ended] = [0, 0];
  for (const seed of seeds) {
    const free = await write(child, seed, { tools: loose });
    const answer = await write(child, seed, { tools });
    assert.equal(saidFirst(answer), saidFirst(free));
    if (countHeld(answer) > 0) calls += 1;
    else if (markersIn(free) === 0) {
      ended += 1;
      assert.deepEqual([answer.content, finishedOf(answer).usage], [free.content, finishedOf(free).usage]);
    }
  }
  assert.ok(calls > 0 && ended > 0);
});

test('a call in what is thought is none and is not held, one behind it is', async (t) => {
  const child = await start('thinks', {
    special: specialTokens,
    template: chatMlTemplate.replace("assistant\\n' -}}", "assistant\\n<think>\\n' -}}"),
  });
  t.after(() => child.stop());
  let [thought, calls] = [0, 0];
  for (const seed of seeds) {
    const thinks = { reasoningEffort: 'low' } as const;
    const answer = await write(child, seed, { ...thinks, tools });
    const free = await write(child, seed, { ...thinks, tools: loose });
    assert.ok(answer.reasoning !== '');
    assert.equal(answer.reasoning, free.reasoning);
    thought += answer.reasoning.split(marker).length - 1;
    for (const call of callsOf(answer)) assert.match(call.arguments, fits[call.name] ?? /never/);
    calls += callsOf(answer).length;
  }
  assert.ok(thought > 0 && calls > 0);
});

test('without parallel calls an answer ends with its first one', async (t) => {
  const child = await start('single');
  t.after(() => child.stop());
  let calls = 0;
  for (const seed of seeds) {
    const answer = await write(child, seed, { tools, parallelToolCalls: false });
    const count = countHeld(answer);
    assert.ok(count <= 1);
    assert.equal(finishedOf(answer).reason === 'tool_calls', count === 1);
    calls += count;
  }
  assert.ok(calls > 0);
});

test('the grammar is switched on with the last of the tokens that spell a tag, and has been fed the others', async (t) => {
  const path = join(folder, 'spelled.gguf');
  writeRandomModel(path, { ...model, words: [] });
  const native = await openModel({ path, gpu: false, maxThreads: 1, vocabOnly: true });
  t.after(() => native.dispose());
  const vocabulary = createVocabulary(native);
  const spelled = (text: string) => [...vocabulary.tokenize(text, false)];
  const fed: string[] = [];
  const generation = new Generation({
    id: 1,
    prompt: {
      tokens: Uint32Array.of(0),
      reasons: true,
      startsInReasoning: false,
      thinkingDisabled: true,
      constraint: null,
      calls: native.createGrammar('root ::= "never"'),
    },
    sampling: {
      maxTokens: 99,
      temperature: 0,
      topP: 1,
      presencePenalty: 0,
      frequencyPenalty: 0,
      seed: 1,
      stop: [],
    },
    reasoningBudget: Infinity,
    contextTokens: 200,
    sampler: {
      get native(): never {
        throw new Error('Nothing is drawn here.');
      },
      makeReady: () => {},
      constrain: () => assert.fail('nothing is forced'),
      constrainWithin: (_grammar, { begun, token }) => {
        fed.push(native.addon.detokenize(Uint32Array.of(...begun), true), vocabulary.textOf(token) ?? '');
        return false;
      },
      wrote: () => {},
      dispose: () => {},
    },
    parser: new OutputParser({
      startsInReasoning: false,
      tools,
      format: formats.json,
      parallelToolCalls: true,
      stop: [],
    }),
    textMayEnd: false,
    vocabulary,
    tags: { open: null, forcedClose: new Uint32Array(0), hasSwitch: true },
  });
  const before = spelled('a < b <tool<tool_call');
  assert.deepEqual(new Set(before.map((token) => generation.take(token))), new Set(['go on']));
  assert.deepEqual(fed, []);
  const [last = -1] = spelled('>');
  assert.equal(generation.take(last), 'resample');
  assert.deepEqual(fed, ['<tool_call', '>']);
  assert.equal(generation.take(last), 'go on', 'it is switched on once');
});
