import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NativeGrammarState } from './addon.ts';
import type { NativeGrammar, SamplerConfig } from './binding.ts';
import { samplerConfig as configOf, nativeSeed, Samplers } from './sampler.ts';
import type { CharacterRules } from './vocabulary.ts';

const sampling = {
  maxTokens: 100,
  temperature: 0.7,
  topP: 0.9,
  presencePenalty: 0,
  frequencyPenalty: 0,
  seed: 5,
  stop: [],
};

const promptTokens = Uint32Array.of(7, 8);
const samplerConfig = (of: Parameters<typeof configOf>[0], randomSeed: number) =>
  configOf(of, { randomSeed, promptTokens });

test('temperature 0 and top-p 0 both draw the most likely token', () => {
  assert.deepEqual(samplerConfig({ ...sampling, temperature: 0 }, 1), { temperature: 0, seed: 5 });
  assert.deepEqual(samplerConfig({ ...sampling, topP: 0 }, 1), { temperature: 0, seed: 5 });
});

test('top-k 1 draws the most likely token, any other goes to the native sampler in its 32 bits', () => {
  assert.deepEqual(samplerConfig({ ...sampling, topK: 1 }, 1), { temperature: 0, seed: 5 });
  assert.deepEqual(samplerConfig({ ...sampling, topK: 40 }, 1), { temperature: 0.7, topP: 0.9, topK: 40, seed: 5 });
  assert.equal(samplerConfig({ ...sampling, topK: 2 ** 40 }, 1).topK, 2 ** 31 - 1);
  assert.deepEqual(samplerConfig({ ...sampling, topK: 40, temperature: 0 }, 1), { temperature: 0, seed: 5 });
});

test('what does nothing is left out, so that it costs nothing', () => {
  assert.deepEqual(samplerConfig(sampling, 1), { temperature: 0.7, topP: 0.9, seed: 5 });
  assert.deepEqual(samplerConfig({ ...sampling, topP: 1, topK: null, seed: null }, 9), { temperature: 0.7, seed: 9 });
});

test('penalties see every token of the longest possible text', () => {
  const config = samplerConfig({ ...sampling, presencePenalty: -1 }, 1);
  assert.deepEqual([config.repeatPenaltyMaxTokens, config.repeatPenaltyPresencePenalty], [100, -1]);
});

test('a repetition penalty counts the prompt too', () => {
  const config = samplerConfig({ ...sampling, repetitionPenalty: 1.2, frequencyPenalty: 1 }, 1);
  assert.deepEqual(
    [
      config.repeatPenalty,
      config.repeatPenaltyMaxTokens,
      config.repeatPenaltyTokens,
      config.repeatPenaltyFrequencyPenalty,
    ],
    [1.2, 102, promptTokens, 1],
  );
});

test('min-p and biases go to the native sampler, biases also where it is greedy', () => {
  const logitBias = [{ token: 3, bias: -100 }];
  const biases = { tokenBiasKeys: Uint32Array.of(3), tokenBiasValues: Float32Array.of(-100) };
  const drawn = samplerConfig({ ...sampling, minP: 0.1, logitBias }, 1);
  assert.deepEqual(drawn, { temperature: 0.7, topP: 0.9, minP: 0.1, ...biases, seed: 5 });
  const greedy = samplerConfig({ ...sampling, temperature: 0, minP: 0.1, logitBias }, 1);
  assert.deepEqual(greedy, { temperature: 0, ...biases, seed: 5 });
});

test('every seed maps to a native one, never to the value that means "draw one"', () => {
  const seeds = [0, 1, -1, 2 ** 32 - 1, 2 ** 32, 2 ** 53 - 1, -(2 ** 53) + 1];
  const native = seeds.map(nativeSeed);
  for (const seed of native) assert.ok(Number.isInteger(seed) && seed >= 0 && seed < 0xffffffff);
  assert.deepEqual(native.slice(0, 2), [0, 1]);
  assert.notEqual(nativeSeed(2 ** 32 + 5), nativeSeed(5));
});

/** A token that fits no grammar, and one that is no text. */
const [misfit, noText] = [13, 14];
/** Behind this one other tokens are forbidden than elsewhere. */
const lead = 15;
const forbidding = (tokens: number[]) => ({
  keys: Uint32Array.from(tokens),
  values: new Float32Array(tokens.length),
});
const [nothing, behindLead] = [forbidding([]), forbidding([16, 17])];
const rules: CharacterRules = {
  behind: (token) => (token === lead ? behindLead : nothing),
  allows: (token) => token !== noText,
};

/** Samplers that note what they are set to, in the order in which they are made. */
function noted() {
  const made: { configs: SamplerConfig[]; isDisposed: boolean }[] = [];
  const state = {} as NativeGrammarState;
  const fed: number[] = [];
  const constrainedTo: NativeGrammar[] = [];
  const samplers = new Samplers(
    {
      createSampler() {
        const one = { configs: [] as SamplerConfig[], isDisposed: false };
        made.push(one);
        return {
          applyConfig(config) {
            one.configs.push(config);
          },
          dispose() {
            one.isDisposed = true;
          },
        };
      },
      createGrammarState: (grammar) => {
        constrainedTo.push(grammar);
        return state;
      },
      advanceGrammar: (_state, token) => fed.push(token) > 0 && token !== misfit,
    },
    rules,
  );
  return { samplers, made, state, fed, constrainedTo };
}

test('however many requests come, there are as many native samplers as have run at a time', () => {
  const { samplers, made } = noted();
  for (let n = 0; n < 100; n++) {
    const running = [1, 2, 3].map((seed) => samplers.of({ temperature: 1, seed }));
    const waiting = [4, 5, 6].map((seed) => samplers.of({ temperature: 1, seed }));
    assert.equal(new Set(running.map(({ native }) => native)).size, 3);
    for (const one of [...waiting, ...running]) one.dispose();
  }
  assert.equal(made.length, 3);
  samplers.close();
  assert.ok(made.every(({ isDisposed }) => isDisposed));
});

test('a constrained request that waits for its turn has no state of its grammar, and one that has come to it has one', () => {
  const { samplers, state, made, constrainedTo } = noted();
  const grammar = {} as NativeGrammar;
  const [first, second] = [1, 2].map((seed) => samplers.of({ temperature: 1, seed }));
  first?.constrain(grammar, []);
  second?.constrain(grammar, []);
  assert.deepEqual(constrainedTo, []);
  for (const _step of [1, 2, 3]) assert.ok(second?.native);
  assert.deepEqual(constrainedTo, [grammar]);
  assert.deepEqual(made[0]?.configs, [{ temperature: 1, seed: 2, grammarEvaluationState: state }]);
  first?.dispose();
  assert.equal(constrainedTo.length, 1);
});

test('a sampler is set anew for each request, and in between to what no request asks for', () => {
  const { samplers, made, state } = noted();
  const penalties = { repeatPenaltyTokens: new Uint32Array(0), repeatPenaltyPresencePenalty: 1 };
  const before = samplers.of({ temperature: 1, topP: 0.5, seed: 7, ...penalties });
  assert.ok(before.native);
  before.constrain({} as NativeGrammar, [8, 9]);
  before.dispose();
  const after = samplers.of({ temperature: 1, seed: 7 });
  after.constrain({} as NativeGrammar, []);
  assert.ok(after.native);
  const [{ configs } = assert.fail(), ...others] = made;
  assert.equal(others.length, 0);
  const constrained = { repeatPenaltyTokens: Uint32Array.of(8, 9), grammarEvaluationState: state };
  assert.deepEqual(configs, [
    { temperature: 1, topP: 0.5, seed: 7, ...penalties },
    { temperature: 1, topP: 0.5, seed: 7, ...penalties, ...constrained },
    { temperature: 0, seed: 0xffffffff },
    { temperature: 1, seed: 7, grammarEvaluationState: state },
  ]);
});

test('within a text of a grammar the token drawn last counts as written where it fits, and is to be drawn again where not', () => {
  const { samplers, made, state, fed } = noted();
  const penalties = { repeatPenaltyTokens: new Uint32Array(0), repeatPenaltyPresencePenalty: 1 };
  const sampler = samplers.of({ temperature: 1, seed: 7, ...penalties });
  assert.ok(sampler.native);
  const at = { begun: [1, 2], generated: [8, 9] };
  assert.equal(sampler.constrainWithin({} as NativeGrammar, { ...at, token: 3 }), true);
  assert.equal(sampler.constrainWithin({} as NativeGrammar, { ...at, token: misfit }), false);
  assert.deepEqual(fed, [1, 2, 3, 1, 2, misfit]);
  assert.equal(sampler.constrainWithin({} as NativeGrammar, { ...at, token: noText }), false);
  made[0]?.configs.pop();
  const counted = made[0]?.configs.slice(1).map((config) => [...(config.repeatPenaltyTokens ?? [])]);
  assert.deepEqual(counted, [
    [8, 9, 3],
    [8, 9],
  ]);
  assert.ok(made[0]?.configs.slice(1).every((config) => config.grammarEvaluationState === state));
});

test('what a constrained answer must not go on with changes with the token that was written, and nothing else does', () => {
  const { samplers, made, state, constrainedTo } = noted();
  const penalties = { repeatPenaltyTokens: new Uint32Array(0), repeatPenaltyPresencePenalty: 1 };
  const sampler = samplers.of({ temperature: 1, seed: 7, ...penalties });
  assert.ok(sampler.native);
  const generated: number[] = [];
  const write = (token: number) => {
    generated.push(token);
    sampler.wrote(token);
  };
  write(lead);
  sampler.constrain({} as NativeGrammar, generated);
  for (const token of [3, lead, 4, 5]) write(token);
  const base = { temperature: 1, seed: 7, ...penalties, grammarEvaluationState: state };
  const { keys: tokenBiasKeys, values: tokenBiasValues } = behindLead;
  assert.deepEqual(made[0]?.configs.slice(1), [
    { ...base, repeatPenaltyTokens: Uint32Array.of(lead) },
    { ...base, repeatPenaltyTokens: Uint32Array.of(lead, 3, lead), tokenBiasKeys, tokenBiasValues },
    { ...base, repeatPenaltyTokens: Uint32Array.of(lead, 3, lead, 4) },
  ]);
  assert.equal(constrainedTo.length, 1);
});
