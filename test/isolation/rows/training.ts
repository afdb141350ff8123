import { createHash } from 'node:crypto';
import { newId } from '#kernel';
import { ownerOnlyChange, ownerOnlyRead, type Row, type Scene } from '../matrix.ts';
import { canary } from '../world.ts';

const zeros = '0'.repeat(64);

/** A dataset with one example and a version; written directly, because some of its owners may not ask. */
async function data({ world, place }: Scene): Promise<{ datasetId: string; versionId: string }> {
  const { database } = world;
  const [datasetId, versionId] = [newId('ds'), newId('dsv')];
  const turns = [
    { role: 'user', content: canary },
    { role: 'assistant', content: 'Yes.' },
  ];
  const content = JSON.stringify({ messages: turns, tools: null });
  const hash = createHash('sha256').update(content).digest();
  await database.query(
    `insert into datasets (id, project_id, name, kind, search_text, head_seq, version_count) values ($1, $2, $3, 'text', '', 1, 1)`,
    [datasetId, place.projectId, `${canary} data`],
  );
  await database.query('insert into example_contents (dataset_id, hash, content) values ($1, $2, $3)', [
    datasetId,
    hash,
    content,
  ]);
  await database.query(
    `insert into examples (dataset_id, id, added_seq, content_hash, bytes, split, origin, valid)
     values ($1, $2, 1, $3, $4, 'train', 'manual', true)`,
    [datasetId, newId('ex'), hash, content.length],
  );
  await database.query(
    `insert into example_counts (dataset_id, split, origin, valid, examples, tokens, bytes)
     values ($1, 'train', 'manual', true, 20, 400, 1000)`,
    [datasetId],
  );
  await database.query(
    `insert into dataset_versions (id, dataset_id, project_id, number, seq, label, sha256, bytes, train_count, test_count,
       token_stats, source_kind) values ($1, $2, $3, 1, 1, $4, $5, 100, 20, 0, $6, 'manual')`,
    [
      versionId,
      datasetId,
      place.projectId,
      canary,
      zeros,
      JSON.stringify({ min: 9, p50: 9, p95: 9, max: 9, total: 400 }),
    ],
  );
  for (const id of [datasetId, versionId]) world.secrets.add(id);
  return { datasetId, versionId };
}

/** As it is shipped: a job is retried on the very file that it was made for. */
async function tinyChatDigest({ world }: Scene): Promise<string> {
  return world.app.models.find('fanfold-tiny-chat')?.installed?.sha256 ?? zeros;
}

/** A job of the cell's project. */
async function job(scene: Scene, { state = 'queued' }: { state?: 'queued' | 'failed' } = {}) {
  const { world, place } = scene;
  const { datasetId, versionId } = await data(scene);
  const jobId = newId('job');
  const error = { code: 'internal_error', message: canary, hint: canary, retryable: true, logSeq: 1 };
  await world.database.query(
    `insert into training_jobs (id, project_id, account_id, name, search_text, kind, base_model_id, base_sha256, dataset_id,
       dataset_version_id, hyperparameters, evaluation, rate_micro_per_minute, price_version, created_by, log_seq,
       queue_round, state, error, finished_at)
     select $1, p.id, p.account_id, $2, '', 'text', 'fanfold-tiny-chat', $3, $4, $5, '{"epochs":1}',
            '{"testRatio":null,"everySteps":null,"earlyStoppingPatience":null,"control":null}', 0, 'v', '{"kind":"account","id":null,"label":"x"}', 1,
            1, $6, $7, case when $6 = 'failed' then now() end
       from projects p where p.id = $8`,
    [
      ...[jobId, `${canary} job`, await tinyChatDigest(scene), datasetId, versionId, state],
      ...[state === 'failed' ? JSON.stringify(error) : null, place.projectId],
    ],
  );
  await world.database.query(
    `insert into training_attempts (job_id, number, id, estimate, held_micro) values ($1, 1, $2, '{}', 0)`,
    [jobId, newId('att')],
  );
  await world.database.query(
    `insert into training_logs (job_id, seq, attempt, level, source, message) values ($1, 1, 1, 'info', 'system', $2)`,
    [jobId, canary],
  );
  world.secrets.add(jobId);
  return { params: { jobId } };
}

const queued = (scene: Scene) => job(scene);

const wanted = async (scene: Scene) => {
  const { datasetId, versionId } = await data(scene);
  return { base_model: 'fanfold-tiny-chat', dataset_id: datasetId, dataset_version_id: versionId };
};

export const rows: Row[] = [
  {
    operation: 'training_jobs.create',
    expected: ownerOnlyChange('201'),
    request: async (scene) => ({ body: await wanted(scene) }),
    attempts: [
      {
        name: "a dataset of somebody else in one's own project",
        caller: 'owner',
        request: () => ({ body: { base_model: 'fanfold-tiny-chat', dataset_id: newId('ds') } }),
        expected: '404 not_found',
      },
    ],
  },
  {
    operation: 'training_jobs.list',
    expected: ownerOnlyRead(),
    request: async (scene) => {
      await job(scene);
      return { query: { limit: '100' } };
    },
  },
  { operation: 'training_jobs.read', expected: ownerOnlyRead(), request: queued },
  {
    operation: 'training_jobs.cancel',
    expected: ownerOnlyChange(),
    request: async (scene) => ({ ...(await job(scene)), body: {} }),
  },
  { operation: 'training_jobs.retry_estimate', expected: ownerOnlyRead(), request: queued },
  {
    operation: 'training_jobs.retry',
    expected: ownerOnlyChange('202'),
    request: async (scene) => ({ ...(await job(scene, { state: 'failed' })), body: { from: 'start' } }),
  },
  { operation: 'training_jobs.attempts', expected: ownerOnlyRead(), request: queued },
  { operation: 'training_jobs.logs', expected: ownerOnlyRead(), request: queued },
  { operation: 'training_jobs.metrics', expected: ownerOnlyRead(), request: queued },
  { operation: 'training_jobs.frozen_dataset', expected: ownerOnlyRead(), request: queued },
  // There is no adapter yet, which only its owner is told.
  { operation: 'training_jobs.lora', expected: ownerOnlyRead('409 state_conflict'), request: queued },
  { operation: 'training_jobs.manifest', expected: ownerOnlyRead('409 state_conflict'), request: queued },
];
