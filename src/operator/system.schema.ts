import Type, { type Static } from 'typebox';
import type { RunningServer } from '#calls';
import { nullable, timestamp } from '#http';
import type { QueueCounts } from '#jobs';
import type { RouteTest, ServingRouteRow } from '#models';
import type { InstallationJob } from '#training';

/** A setting as the server has it. */
export type ShownSetting = { env: string; value: string | null; isDefault: boolean; expected: string };

const capacity = Type.Integer({ description: 'Calls that it takes at a time.', minimum: 1, maximum: 10_000 });
const weight = Type.Number({
  description: 'Share of the work in comparison with others.',
  exclusiveMinimum: 0,
  maximum: 1_000_000,
});
const url = Type.String({ description: 'Base URL as an OpenAI client has it.', minLength: 1, maxLength: 2000 });
const api = Type.String({ description: 'What it is, such as `openai`, `vllm` or `tei`.', minLength: 1, maxLength: 40 });
const baseModelId = Type.String({ description: 'Base model that it serves.', minLength: 1, maxLength: 63 });
const vision = Type.Boolean({ description: 'Its model reads images.' });

export const routeSchema = Type.Object(
  {
    name: Type.String({ description: 'Name of the route.' }),
    base_model_id: baseModelId,
    api,
    url,
    upstream_model: Type.String({ description: 'Name of the model there.' }),
    secret_source: nullable(
      Type.String(),
      'Where servers find its key: `env:NAME` or `file:/path`; null: it needs none.',
    ),
    capacity,
    weight,
    draining: Type.Boolean({ description: 'It gets nothing new; what runs there ends there.' }),
    vision,
    adapters_folder: nullable(Type.String(), 'Folder that servers and engine share for adapters; null: none.'),
  },
  { $id: 'OperatorServingRoute' },
);

export const routesAnswer = Type.Object({ data: Type.Array(routeSchema, { description: 'Remote engines, by name.' }) });

export const routeBody = Type.Object({
  base_model_id: baseModelId,
  url,
  api: Type.Optional(api),
  upstream_model: Type.Optional(Type.String({ description: 'Name of the model there.', maxLength: 500 })),
  secret_env: Type.Optional(
    Type.String({ description: 'Environment variable of the servers that holds its key.', maxLength: 200 }),
  ),
  secret_file: Type.Optional(Type.String({ description: 'File on the servers that holds its key.', maxLength: 4096 })),
  capacity: Type.Optional(capacity),
  weight: Type.Optional(weight),
  vision: Type.Optional(vision),
  adapters_folder: Type.Optional(
    Type.String({ description: 'Folder that servers and engine share for adapters.', maxLength: 4096 }),
  ),
  adapters_seen_as: Type.Optional(
    Type.String({ description: 'Path of that folder where the engine runs, if it is another.', maxLength: 4096 }),
  ),
});

export const drainBody = Type.Object({
  draining: Type.Boolean({ description: 'It gets nothing new; what runs there ends there.' }),
});

export const routeTestAnswer = Type.Object({
  reachable: Type.Boolean({ description: 'It answered.' }),
  status: nullable(Type.Integer(), 'HTTP status of its health route.'),
  latency_ms: nullable(Type.Integer(), 'How long it took.'),
  models: nullable(Type.Array(Type.String()), 'Names of its models; null where it does not tell.'),
  answer: nullable(
    Type.Object({
      text: nullable(Type.String(), 'What it generated; null for models of other kinds.'),
      dimensions: nullable(Type.Integer(), 'Length of the vector of an embedding model.'),
      score: nullable(Type.Number(), 'Score of a reranker.'),
      latency_ms: Type.Integer({ description: 'How long the answer took.' }),
    }),
    'Its answer to a short request; null when something is wrong.',
  ),
  error: nullable(Type.String(), 'What is wrong; null: nothing.'),
});

export const settingsAnswer = Type.Object({
  data: Type.Array(
    Type.Object({
      name: Type.String({ description: 'Environment variable.' }),
      value: nullable(Type.String(), 'As this server has it; `set` for a secret; null: none.'),
      is_default: Type.Boolean({ description: 'It is as without a setting.' }),
      expected: Type.String({ description: 'What it may be.' }),
    }),
    { description: 'Settings of the server that answers.' },
  ),
});

export const healthAnswer = Type.Object({
  healthy: Type.Boolean({ description: 'There are no problems.' }),
  problems: Type.Array(Type.String(), { description: 'What is wrong.' }),
  notes: Type.Array(Type.String(), { description: 'What was found to be right, or worth knowing.' }),
});

export const jobsAnswer = Type.Object({
  data: Type.Array(
    Type.Object({
      id: Type.String({ description: 'Id of the training job.' }),
      project: Type.String({ description: 'Address of its project.' }),
      name: Type.String({ description: 'Name of the job.' }),
      base_model_id: Type.String({ description: 'What it trains.' }),
      state: Type.String({ description: 'State.' }),
      worker: nullable(Type.String(), 'Server that works on it.'),
      created_at: timestamp('When it was made.'),
      started_at: nullable(timestamp('When it began.'), 'Null before.'),
      finished_at: nullable(timestamp('When it ended.'), 'Null before.'),
    }),
    { description: 'Training jobs of all accounts: those that have not ended, then the newest; 100 at most.' },
  ),
  tasks: Type.Array(
    Type.Object({
      name: Type.String({ description: 'Kind of background work.' }),
      waiting: Type.Integer({ description: 'How much waits.' }),
      active: Type.Integer({ description: 'How much is done now.' }),
      failed: Type.Integer({ description: 'How much failed within a day.' }),
    }),
    { description: 'Other background work.' },
  ),
});

export const workersAnswer = Type.Object({
  data: Type.Array(
    Type.Object({
      id: Type.String({ description: 'Id of the process.' }),
      host: nullable(Type.String(), 'Name of its machine.'),
      roles: nullable(Type.String(), '`serve`, `worker` or both.'),
      started_at: timestamp('When it started.'),
      seen_at: timestamp('Its last heartbeat.'),
      calls: Type.Integer({ description: 'Calls of models that it works on.' }),
    }),
    { description: 'Running processes.' },
  ),
});

export function routeToWire(row: ServingRouteRow): Static<typeof routeSchema> {
  return {
    name: row.id,
    base_model_id: row.baseModelId,
    api: row.api,
    url: row.url,
    upstream_model: row.upstreamModel,
    secret_source: row.secretSource,
    capacity: row.capacity,
    weight: row.weight,
    draining: row.draining,
    vision: row.vision === true,
    adapters_folder: row.adaptersFolder ?? null,
  };
}

export function routeTestToWire({ latencyMs, answer, ...test }: RouteTest): Static<typeof routeTestAnswer> {
  return { ...test, latency_ms: latencyMs, answer: answer && sampleToWire(answer) };
}

function sampleToWire({ latencyMs, ...sample }: NonNullable<RouteTest['answer']>) {
  return { ...sample, latency_ms: latencyMs };
}

export function settingToWire({ env, value, isDefault, expected }: ShownSetting) {
  return { name: env, value, is_default: isDefault, expected };
}

export function jobsToWire(jobs: readonly InstallationJob[], tasks: readonly QueueCounts[]): Static<typeof jobsAnswer> {
  return {
    data: jobs.map((job) => ({
      id: job.id,
      project: `${job.ownerSlug}/${job.projectSlug}`,
      name: job.name,
      base_model_id: job.baseModelId,
      state: job.state,
      worker: job.worker,
      created_at: job.createdAt.toISOString(),
      started_at: job.startedAt?.toISOString() ?? null,
      finished_at: job.finishedAt?.toISOString() ?? null,
    })),
    tasks: tasks.map((task) => ({ ...task })),
  };
}

export function workerToWire({ startedAt, seenAt, ...server }: RunningServer) {
  return { ...server, started_at: startedAt.toISOString(), seen_at: seenAt.toISOString() };
}
