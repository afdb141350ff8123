import { pageSchema } from '#http';
import { pullSchema, searchAnswer, variantsAnswer } from './hub.schema.ts';
import {
  addModelAnswer,
  catalogueAnswer,
  modelDetailsSchema,
  operatorModelsAnswer,
  removedAnswer,
} from './models.schema.ts';
import { operatorContract } from './operator-contract.ts';

const tiny = {
  id: 'fanfold-tiny-chat',
  name: 'Fanfold Tiny Chat',
  kind: 'text',
  installed: true,
  from: 'shipped',
  size_bytes: 5_626_880,
  planned: {
    model: { memory_bytes: 61_000_000, vram_bytes: 0 },
    adapters: { memory_bytes: 12_000_000, vram_bytes: 0 },
    runs_on: 'CPU',
  },
  max_context_tokens: 4096,
  rate: '0.030000',
  training: 'yes',
  runtime: { status: 'ready', runs_on: 'CPU', error: null, running: 1, waiting: 0 },
};

const details = {
  id: 'qwen3-4b',
  path: '/data/models/qwen3-4b/Qwen3-4B-Q4_K_M.gguf',
  context: { tokens: 16_384, chosen_by: 'memory', supported_tokens: 40_960 },
  sequences: null,
  kv: 'f16',
  runs_on: 'CPU',
  budget: { memory_bytes: 12_000_000_000, vram_bytes: 0 },
  options: [{ sequences: 8, needed: { memory_bytes: 11_200_000_000, vram_bytes: 0 }, fits: true }],
};

const pull = {
  id: 'pul_01KAXR6E7G9J1M3P5R7T9W1Y3A',
  model: 'Qwen/Qwen3-4B-GGUF',
  weights: false,
  state: 'running',
  phase: 'download',
  received_bytes: 1_203_000_000,
  total_bytes: 2_497_280_256,
  bytes_per_second: 11_200_000,
  note: 'Q4_K_M of Qwen/Qwen3-4B-GGUF, 2.50 GB: needs 3.90 GB of memory with 8192 tokens of context.',
  error: null,
  base_model_id: null,
  created_at: '2026-01-02T03:04:05.678Z',
  updated_at: '2026-01-02T03:06:05.678Z',
};

const onePull = { description: 'The pull.', schema: pullSchema, example: pull };

export const listOperatorModelsContract = operatorContract({
  summary: 'List the models of this installation',
  description: 'With the memory that they take, what they run on, and what the engine does with them.',
  answers: {
    200: {
      description: 'The models.',
      schema: operatorModelsAnswer,
      example: { data: [tiny], machine: { memory_bytes: 12_000_000_000, gpu: null } },
    },
  },
});

export const readOperatorModelContract = operatorContract({
  summary: 'Show how a model is loaded',
  description: 'Which context it has, why, and what more memory would allow.',
  answers: { 200: { description: 'The model.', schema: modelDetailsSchema, example: details } },
});

export const addModelContract = operatorContract({
  summary: 'Add a model from a file',
  description: 'Registers a GGUF file of the server. A large file takes a while: its digest is computed.',
  bodyExample: { id: 'my-model', path: '/models/my-model.gguf' },
  answers: {
    201: {
      description: 'It is installed.',
      schema: addModelAnswer,
      example: { id: 'my-model', kind: 'text', max_context_tokens: 8192, warnings: [] },
    },
  },
});

export const setModelContract = operatorContract({
  summary: 'Change how a model is loaded',
  description: 'The engine loads it anew for the next call; running calls finish.',
  bodyExample: { context_tokens: 8192, sequences: null },
  answers: { 200: { description: 'The model.', schema: modelDetailsSchema, example: details } },
});

export const removeModelContract = operatorContract({
  summary: 'Remove a model',
  description:
    'Takes an added or pulled model out of the installation. `in_use` names what uses it, unless `force` is set.',
  answers: { 200: { description: 'It is removed.', schema: removedAnswer, example: { deleted: true } } },
  faults: ['in_use'],
});

export const catalogueContract = operatorContract({
  summary: 'List the models that can be pulled by an id',
  answers: {
    200: {
      description: 'The catalogue.',
      schema: catalogueAnswer,
      example: {
        data: [
          {
            id: 'qwen3-4b',
            name: 'Qwen3 4B',
            kind: 'text',
            parameters: 4_022_468_096,
            max_context_tokens: 40_960,
            tools: true,
            license: 'Apache-2.0',
            rate: '0.400000',
            installed: false,
          },
        ],
      },
    },
  },
});

export const searchHubContract = operatorContract({
  summary: 'Search the hub for models',
  answers: {
    200: {
      description: 'What the hub has.',
      schema: searchAnswer,
      example: {
        data: [
          {
            repo: 'Qwen/Qwen3-4B-GGUF',
            downloads: 81_000,
            likes: 120,
            updated: '2026-01-02',
            license: 'apache-2.0',
            gated: false,
          },
        ],
      },
    },
  },
});

export const variantsContract = operatorContract({
  summary: 'Show what a model of the hub would take here',
  description: 'Its forms with their sizes, and whether this machine has the memory for them.',
  answers: {
    200: {
      description: 'The forms.',
      schema: variantsAnswer,
      example: {
        repo: 'Qwen/Qwen3-4B-GGUF',
        kind: 'text',
        license: 'apache-2.0',
        context_tokens: 8192,
        budget_bytes: 12_000_000_000,
        variants: [
          {
            model: 'Qwen/Qwen3-4B-GGUF:Q4_K_M',
            quantisation: 'Q4_K_M',
            size_bytes: 2_497_280_256,
            needed_bytes: 3_900_000_000,
            fits: true,
            chosen: true,
          },
        ],
      },
    },
  },
});

export const listPullsContract = operatorContract({
  summary: 'List the pulls',
  answers: {
    200: {
      description: 'A page of pulls, newest first.',
      schema: pageSchema(pullSchema),
      example: { data: [pull], next_cursor: null, total_count: 1 },
    },
  },
});

export const createPullContract = operatorContract({
  summary: 'Pull a model',
  description:
    'Fetches a model of the catalogue or of the hub in the background. It goes on where it stopped, also after a restart. What is in flight already is not fetched twice: the answer is that pull, with status 200.',
  bodyExample: { model: 'qwen3-4b' },
  answers: { 200: onePull, 202: { ...onePull, description: 'The new pull.' } },
});

export const readPullContract = operatorContract({ summary: 'Show a pull', answers: { 200: onePull } });

export const cancelPullContract = operatorContract({
  summary: 'Cancel a pull',
  description: 'What was fetched stays for the next pull of the same model.',
  answers: { 200: onePull },
});
