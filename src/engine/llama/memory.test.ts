import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#test/properties.ts';
import { estimateMemory, type LoadedModel, type LoadOption, needOf, planLoad } from './memory.ts';
import type { MemoryBytes } from './memory-protocol.ts';

const main = (ram: number): MemoryBytes => ({ ram, vram: 0 });
const loadedOf = (id: string, ram: number, idle: boolean, lastUsedMs: number): LoadedModel => ({
  id,
  memory: main(ram),
  idle,
  lastUsedMs,
});
const idleA = loadedOf('a', 100, true, 5);
const idleB = loadedOf('b', 100, true, 3);
const busy = loadedOf('c', 100, false, 1);

/** Of a model that is never called with an adapter. */
const alone = { sequences: 4, adapterContext: main(1), mostContexts: 0 };
type State = { base: number; free: number; limitBytes: number | null; loaded: readonly LoadedModel[] };

const plan = ({ base, free, ...state }: State) => {
  const planned = planLoad({ ...state, free: main(free), need: [{ ...alone, base: main(base) }] });
  return planned.type === 'fits' ? planned.evict : planned;
};

test('what fits evicts nobody', () => {
  assert.deepEqual(plan({ base: 50, free: 50, limitBytes: null, loaded: [idleA, idleB, busy] }), []);
});

test('the least recently used idle models go, no more of them than needed, and never a busy one', () => {
  const loaded = [idleA, busy, idleB];
  assert.deepEqual(plan({ base: 120, free: 50, limitBytes: null, loaded }), ['b']);
  assert.deepEqual(plan({ base: 250, free: 50, limitBytes: null, loaded }), ['b', 'a']);
  const refused = { type: 'refused', neededBytes: 251, freeBytes: 250, busy: true };
  assert.deepEqual(plan({ base: 251, free: 50, limitBytes: null, loaded }), refused);
});

test('the configured limit bounds the sum of all models, however much the machine has', () => {
  const state = { free: 1e12, limitBytes: 250, loaded: [idleA, busy] };
  assert.deepEqual(plan({ ...state, base: 50 }), []);
  assert.deepEqual(plan({ ...state, base: 51 }), ['a']);
  assert.deepEqual(plan({ ...state, base: 151 }), { type: 'refused', neededBytes: 151, freeBytes: 150, busy: true });
});

const sized = { kind: 'text', fileBytes: 1e6, isUnified: false, needsCheckpoints: false } as const;

test('the need is that of the process, the weights and the context, and of checkpoints where cells are not kept', () => {
  const contexts = new Map([4, 2].map((sequences) => [sequences, { ram: sequences * 10e6, vram: 0 }]));
  const model = { ...sized, weights: main(2e6), contexts };
  const [need] = needOf(model, [4]);
  assert.deepEqual(need?.base, main(120e6 + 2e6 + 40e6));
  // Half of the sequences, and the adapter itself.
  assert.deepEqual(need?.adapterContext, main(20e6 + 0.03e6));
  const [checkpointed] = needOf({ ...model, needsCheckpoints: true }, [4]);
  assert.deepEqual(checkpointed?.base, main(120e6 + 2e6 + 40e6 + 64e6));
  const [embedding] = needOf({ ...model, kind: 'embedding', needsCheckpoints: true }, [4]);
  assert.deepEqual([embedding?.base, embedding?.adapterContext], [need?.base, main(40e6 + 0.03e6)]);
});

test('where main memory is that of the GPU, all of it counts as one', () => {
  const contexts = new Map([[1, { ram: 1e6, vram: 10e6 }]]);
  const model = { ...sized, isUnified: true, weights: { ram: 1e6, vram: 9e6 }, contexts };
  assert.deepEqual(needOf(model, [1])[0]?.base, main(120e6 + 21e6));
});

test('a file that llama.cpp could not lay out is estimated from its size, with smaller cells where they are quantised', () => {
  const estimate = (fileBytes: number, kv: 'f16' | 'q8_0' = 'f16') =>
    estimateMemory({ fileBytes, kv }, { contextTokens: 1_000, sequences: [4, 2] });
  const [need] = needOf({ ...sized, fileBytes: 1e8, ...estimate(1e8) }, [4]);
  assert.deepEqual([need?.base, need?.adapterContext], [main(120e6 + 1.05e8 + 8e7), main(4e7 + 3e6)]);
  assert.equal(estimate(1e8, 'q8_0').contexts.get(4)?.ram, (8e7 * 17) / 32);
  // Llama 70B has 327,680 bytes for each token, Qwen3 0.6B 114,688.
  const cells = [75e9, 0.64e9].map((bytes) => (estimate(bytes).contexts.get(4)?.ram ?? 0) / 4_000);
  assert.deepEqual(cells, [325_000, 101_920]);
});

test('small models ask for many contexts for adapters, large ones for two', () => {
  const most = (bytes: number) =>
    needOf({ ...sized, fileBytes: 0, weights: main(0), contexts: new Map([[1, main(bytes)]]) }, [1])[0]?.mostContexts;
  assert.deepEqual([most(1e6), most(29e6), most(1e9)], [16, 13, 2]);
});

const option = (more: Partial<LoadOption> = {}): LoadOption => ({
  sequences: 8,
  base: main(100),
  adapterContext: main(10),
  mostContexts: 16,
  ...more,
});

test('contexts for adapters are planned with the model: two make others go, more take what is left', () => {
  const planFor = (ram: number, loaded: readonly LoadedModel[] = [], limitBytes: number | null = null) => {
    const planned = planLoad({ need: [option()], free: main(ram), limitBytes, loaded });
    return planned.type === 'fits' ? [planned.adapterContexts, ...planned.evict] : null;
  };
  assert.deepEqual(planFor(1_000), [16]);
  assert.deepEqual(planFor(155), [5]);
  assert.deepEqual(planFor(120, [idleA]), [2]);
  assert.deepEqual(planFor(119, [idleA]), [11, 'a']);
  assert.deepEqual(planFor(1_000, [busy], 235), [3]);
});

test('where memory is short there are fewer contexts for adapters, then none, then fewer calls at once, and then a refusal', () => {
  const need = [option({ mostContexts: 2 }), option({ sequences: 4, base: main(60), mostContexts: 2 })];
  const planFor = (ram: number) => {
    const planned = planLoad({ need, free: main(ram), limitBytes: null, loaded: [busy] });
    return planned.type === 'fits' ? [planned.sequences, planned.adapterContexts, planned.memory.ram] : planned;
  };
  assert.deepEqual(planFor(119), [8, 1, 110]);
  assert.deepEqual(planFor(109), [8, 0, 100]);
  assert.deepEqual(planFor(99), [4, 2, 80]);
  assert.deepEqual(planFor(60), [4, 0, 60]);
  assert.deepEqual(planFor(59), { type: 'refused', neededBytes: 60, freeBytes: 59, busy: true });
});

test('idle models leave the GPU, and there are fewer calls at once, before layers stay off it in main memory', () => {
  const need = [option({ base: { ram: 20, vram: 100 }, adapterContext: { ram: 0, vram: 10 }, mostContexts: 0 })];
  const onGpu: LoadedModel = { ...idleA, memory: { ram: 0, vram: 60 } };
  const planFor = (ram: number, vram: number, loaded: readonly LoadedModel[]) =>
    planLoad({ need, free: { ram, vram }, limitBytes: null, loaded });
  const fits = { type: 'fits', sequences: 8, adapterContexts: 0 };
  const whole = { ...fits, isWhole: true, memory: { ram: 20, vram: 100 } };
  assert.deepEqual(planFor(20, 100, [onGpu]), { ...whole, evict: [] });
  assert.deepEqual(planFor(20, 50, [onGpu]), { ...whole, evict: ['a'] });
  assert.deepEqual(planFor(90, 30, []), { ...fits, evict: [], isWhole: false, memory: { ram: 90, vram: 30 } });
  const less = option({ ...need[0], sequences: 1, base: { ram: 20, vram: 40 } });
  const planned = planLoad({ need: [...need, less], free: { ram: 90, vram: 40 }, limitBytes: null, loaded: [] });
  assert.deepEqual(planned, { ...whole, sequences: 1, evict: [], memory: less.base });
  // The driver says less than it needs itself.
  assert.deepEqual(planFor(120, -5, []), { ...fits, evict: [], isWhole: false, memory: { ram: 120, vram: 0 } });
  assert.deepEqual(planFor(119, 0, []), { type: 'refused', neededBytes: 120, freeBytes: 119, busy: false });
});

test('a plan never takes more than is free and what it unloads gives, and loses no byte of what the model needs', () => {
  const bytes = fc.record({ ram: fc.nat(100), vram: fc.nat(100) });
  const loaded = fc.array(fc.record({ memory: bytes, idle: fc.boolean(), lastUsedMs: fc.nat(9) }), { maxLength: 4 });
  const property = fc.property(bytes, bytes, bytes, loaded, (base, adapterContext, free, others) => {
    const models = others.map((model, at) => ({ ...model, id: String(at) }));
    const planned = planLoad({ need: [option({ base, adapterContext })], free, limitBytes: null, loaded: models });
    const gone = models.filter(({ idle, id }) => idle && (planned.type === 'refused' || planned.evict.includes(id)));
    const ram = gone.reduce((sum, { memory }) => sum + memory.ram, free.ram);
    const vram = gone.reduce((sum, { memory }) => sum + memory.vram, free.vram);
    if (planned.type === 'refused') return assert.ok(base.ram + Math.max(0, base.vram - vram) > ram);
    const { memory, adapterContexts } = planned;
    assert.ok(memory.ram <= ram && memory.vram <= vram);
    const all = (part: MemoryBytes) => part.ram + part.vram;
    assert.equal(all(memory), all(base) + adapterContexts * all(adapterContext));
  });
  fc.assert(property);
});
