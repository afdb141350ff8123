import { operatorContract } from './operator-contract.ts';
import {
  healthAnswer,
  jobsAnswer,
  routeSchema,
  routesAnswer,
  routeTestAnswer,
  settingsAnswer,
  workersAnswer,
} from './system.schema.ts';

const route = {
  name: 'gpu-1',
  base_model_id: 'qwen3-4b',
  api: 'vllm',
  url: 'http://10.0.0.7:8000/v1',
  upstream_model: 'Qwen/Qwen3-4B',
  secret_source: 'env:GPU_KEY',
  capacity: 64,
  weight: 1,
  draining: false,
  vision: false,
  adapters_folder: null,
};

const oneRoute = { description: 'The serving route.', schema: routeSchema, example: route };

export const listRoutesContract = operatorContract({
  summary: 'List the serving routes',
  description: 'Remote engines that serve base models.',
  answers: { 200: { description: 'The serving routes.', schema: routesAnswer, example: { data: [route] } } },
});

export const saveRouteContract = operatorContract({
  summary: 'Set up a serving route',
  description:
    'Serves a base model by a remote engine, or sets the engine of this name up anew. In effect on every server within two seconds.',
  bodyExample: { base_model_id: 'qwen3-4b', url: 'http://10.0.0.7:8000/v1', api: 'vllm', secret_env: 'GPU_KEY' },
  answers: { 200: oneRoute },
});

export const drainRouteContract = operatorContract({
  summary: 'Drain a serving route, or resume it',
  bodyExample: { draining: true },
  answers: { 200: oneRoute },
});

export const testRouteContract = operatorContract({
  summary: 'Test a serving route',
  description:
    'Asks the engine for its health, its models and one short answer: at most 16 tokens of text, one vector, or one score. Nobody is charged.',
  answers: {
    200: {
      description: 'What it answered.',
      schema: routeTestAnswer,
      example: {
        reachable: true,
        status: 200,
        latency_ms: 4,
        models: ['Qwen/Qwen3-4B'],
        answer: { text: 'Hello! How can I help you?', dimensions: null, score: null, latency_ms: 210 },
        error: null,
      },
    },
  },
});

export const deleteRouteContract = operatorContract({
  summary: 'Remove a serving route',
  answers: { 204: { description: 'It is removed.' } },
});

export const settingsContract = operatorContract({
  summary: 'Show the settings of the server',
  description: 'As the environment and `fanfold.yaml` set them; they change with a restart.',
  answers: {
    200: {
      description: 'The settings.',
      schema: settingsAnswer,
      example: { data: [{ name: 'PORT', value: '8787', is_default: true, expected: 'a port number, 0 to 65535' }] },
    },
  },
});

export const healthContract = operatorContract({
  summary: 'Check the installation',
  description:
    'Does what `fanfold doctor` does: computes every charge again, and looks for missing files and objects. It may take a while.',
  answers: {
    200: {
      description: 'What was found.',
      schema: healthAnswer,
      example: { healthy: true, problems: [], notes: ['gpu: there is none, models run on the CPU'] },
    },
  },
});

export const jobsContract = operatorContract({
  summary: 'List the work of this installation',
  description: 'Training jobs of all accounts, without what they learn, and other background work.',
  answers: {
    200: {
      description: 'The work.',
      schema: jobsAnswer,
      example: {
        data: [
          {
            id: 'job_01KAXR6E7G9J1M3P5R7T9W1Y3A',
            project: 'ada/support',
            name: 'Replies',
            base_model_id: 'qwen3-4b',
            state: 'running',
            worker: 'ins_01KAXR6E7G9J1M3P5R7T9W1Y3A',
            created_at: '2026-01-02T03:04:05.678Z',
            started_at: '2026-01-02T03:04:07.678Z',
            finished_at: null,
          },
        ],
        tasks: [{ name: 'models.pull', waiting: 0, active: 1, failed: 0 }],
      },
    },
  },
});

export const workersContract = operatorContract({
  summary: 'List the running processes',
  description: 'Servers and workers with their last heartbeat.',
  answers: {
    200: {
      description: 'The processes.',
      schema: workersAnswer,
      example: {
        data: [
          {
            id: 'ins_01KAXR6E7G9J1M3P5R7T9W1Y3A',
            host: 'gpu-1',
            roles: 'serve, worker',
            started_at: '2026-01-02T03:04:05.678Z',
            seen_at: '2026-01-02T03:09:05.678Z',
            calls: 3,
          },
        ],
      },
    },
  },
});
