import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { smallShape, writeRandomModel } from '#test/random-model.ts';
import { formats } from '../text/formats/formats.fixture.ts';
import { OutputParser } from '../text/output-parser.ts';
import { type NativeModel, type NativeSampler, openModel } from './binding.ts';
import { smallConfig } from './child-driver.fixture.ts';
import { Generation } from './generation.ts';
import { Samplers } from './sampler.ts';
import { TextRunner } from './text-runner.ts';
import { createVocabulary, noCharacterRules } from './vocabulary.ts';

const folder = mkdtempSync(join(tmpdir(), 'fanfold-runner-'));
const ggufPath = join(folder, 'text.gguf');
writeRandomModel(ggufPath, { shape: smallShape, seed: 1, kind: 'text', spread: 0.2, ends: false });
const native = await openModel({ path: ggufPath, gpu: false, maxThreads: 1 });
after(async () => {
  await native.dispose();
  rmSync(folder, { recursive: true });
});
const vocabulary = createVocabulary(native);
const grammar = native.createGrammar('root ::= "a"*');
const decodeMs = 10;
const [open = -1] = vocabulary.tokenize('<think>', true);
const [letter = -1] = vocabulary.tokenize('a', false);

type Asked = {
  /** How long it takes to draw a token of it, and to make ready what it is held to. */
  drawMs: number;
  stateMs?: number;
  /** Held to its grammar from the first token on; else where that could have opened reasoning and did not. */
  isHeldAtOnce?: boolean;
};

/** Runs requests side by side, by a clock that goes on only while one of them is decoded, drawn or made ready. Their active times. */
async function run(asked: readonly Asked[], nativeWorkIsOrdered = true) {
  let nowMs = 0;
  const draws = new Map<NativeSampler, number>();
  let last: Promise<unknown> = Promise.resolve();
  const model: Pick<NativeModel, 'loadAdapter' | 'createContext' | 'createCheckpoint' | 'facts'> = {
    ...native,
    createContext: async (options) => {
      const context = await native.createContext(options);
      const decode = context.decodeBatch.bind(context);
      const later = <Result>(before: Promise<unknown>, work: () => Result): Promise<Result> => {
        const done = before.then(work);
        last = done;
        return done;
      };
      return Object.defineProperties(context, {
        decodeBatch: {
          value: () =>
            later(decode(), () => {
              nowMs += decodeMs;
            }),
        },
        sampleToken: {
          value: (_batchIndex: number, sampler: NativeSampler) =>
            later(last, () => {
              nowMs += draws.get(sampler) ?? 0;
              return letter;
            }),
        },
      });
    },
  };
  const active: number[] = [];
  const runner = new TextRunner({
    model,
    config: { ...smallConfig, ggufPath },
    logprobs: { read: () => assert.fail('No request has log probabilities.') },
    now: () => nowMs,
    nativeWorkIsOrdered,
    send: (message) => {
      if (message.type === 'finished') active[message.id] = message.activeMs;
    },
  });
  await runner.open();
  nowMs = 0;
  for (const [id, { drawMs, stateMs, isHeldAtOnce = true }] of asked.entries()) {
    const samplers = new Samplers(
      {
        ...native,
        createSampler: () => {
          const sampler = native.createSampler();
          draws.set(sampler, drawMs);
          return sampler;
        },
        createGrammarState: (wanted) => {
          nowMs += stateMs ?? 0;
          return native.createGrammarState(wanted);
        },
      },
      noCharacterRules,
    );
    const sampling = {
      maxTokens: 5,
      temperature: 0,
      topP: 1,
      presencePenalty: 0,
      frequencyPenalty: 0,
      seed: 1,
      stop: [],
    };
    const generation = new Generation({
      id,
      sampling,
      reasoningBudget: Infinity,
      contextTokens: 500,
      textMayEnd: false,
      vocabulary,
      prompt: {
        tokens: Uint32Array.of(65, 66, 67),
        reasons: true,
        startsInReasoning: false,
        thinkingDisabled: isHeldAtOnce,
        constraint: stateMs === undefined ? null : { atStart: grammar, afterReasoning: grammar },
        calls: null,
      },
      sampler: samplers.of({ temperature: 0, seed: 1 }),
      parser: new OutputParser({
        startsInReasoning: false,
        tools: [],
        format: formats.json,
        parallelToolCalls: true,
        stop: [],
      }),
      tags: { open, forcedClose: new Uint32Array(0), hasSwitch: true },
    });
    runner.generate(generation, { adapter: null, scope: `account ${id}`, maxTokens: 5 });
  }
  while (runner.hasWork) await runner.run(() => true);
  await runner.close();
  return { active, passedMs: nowMs };
}

const plain: Asked = { drawMs: 1 };
const sum = (times: readonly number[]) => times.reduce((all, ms) => all + ms, 0);

test('a call pays for its own drawing, and shares what is decoded for all, whatever its neighbours draw by', async () => {
  for (const isOrdered of [true, false]) {
    const alone = await run([plain], isOrdered);
    assert.deepEqual(alone.active, [5 * (decodeMs + 1)]);
    const { active, passedMs } = await run([plain, { drawMs: 400 }, plain], isOrdered);
    assert.equal(sum(active), passedMs);
    const ofDecoding = (5 * decodeMs) / 3;
    assert.deepEqual(
      active.map((ms) => Math.round(ms - ofDecoding)),
      [5, 2000, 5],
    );
  }
});

test('a call pays for making ready what it is held to, at its first token or later', async () => {
  for (const isHeldAtOnce of [true, false]) {
    const { active, passedMs } = await run([plain, { drawMs: 3, stateMs: 700, isHeldAtOnce }]);
    assert.equal(sum(active), passedMs);
    const drawn = isHeldAtOnce ? 5 : 6;
    assert.deepEqual(active, [25 + 5, 25 + drawn * 3 + 700]);
  }
});
