import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { newId } from '#kernel';
import { openFolderStore, openS3 } from '#objects';
import { seedAccount, seedProject } from '#test/accounts.ts';
import { fileDatabase } from '#test/file-database.ts';
import { startS3Server } from '#test/object-server.ts';
import { artifactKeys } from '#training';
import { checkMissing } from './doctor-missing.ts';

const database = fileDatabase();
const root = await mkdtemp(join(tmpdir(), 'fanfold-doctor-'));
const objects = openFolderStore(root);
after(() => rm(root, { recursive: true }));

const complete = 'objects: all that finished training jobs and imports in flight need is there';
const put = (key: string) => objects.put(key, Readable.from([Buffer.from('x')]));

async function check() {
  const lines: string[] = [];
  const problems = await checkMissing({ database: database(), objects, print: (line) => void lines.push(line) });
  return { lines, problems };
}

async function seedPlace() {
  const { accountId } = await seedAccount(database());
  const { projectId } = await seedProject(database(), { accountId });
  return { accountId, projectId };
}

/** An import whose file has a part; `ended`: nobody needs the part any more. */
async function seedImport({ ended }: { ended: boolean }): Promise<{ id: string; key: string }> {
  const { projectId } = await seedPlace();
  const id = newId('imp');
  const key = `imports/${id}/part-0-whole`;
  await database().query(
    `insert into imports (id, project_id, dataset_name, state, file_name, size_bytes, received_bytes, reader_options, options, created_by, finished_at)
     values ($1, $2, 'Lamps', $3, 'lamps.csv', 9, 1, '{}', '{}', '{}', $4)`,
    [id, projectId, ended ? 'canceled' : 'awaiting_upload', ended ? new Date() : null],
  );
  await database().query('insert into import_parts (key, import_id, first_byte, bytes) values ($1, $2, 0, 1)', [
    key,
    id,
  ]);
  // On its way, or lost: the caller sends it again.
  await database().query('insert into import_parts (key, import_id, first_byte) values ($1, $2, 1)', [
    `imports/${id}/part-1-begun`,
    id,
  ]);
  return { id, key };
}

async function seedJob(state: 'succeeded' | 'failed'): Promise<{ id: string; keys: ReturnType<typeof artifactKeys> }> {
  const { accountId, projectId } = await seedPlace();
  const [datasetId, versionId, id] = [newId('ds'), newId('dsv'), newId('job')];
  const digest = '0'.repeat(64);
  await database().query(
    `insert into datasets (id, project_id, name, kind, search_text, head_seq, version_count) values ($1, $2, 'Lamps', 'text', '', 1, 1)`,
    [datasetId, projectId],
  );
  await database().query(
    `insert into dataset_versions (id, dataset_id, project_id, number, seq, sha256, bytes, train_count, test_count, token_stats, source_kind)
     values ($1, $2, $3, 1, 1, $4, 100, 20, 0, '{}', 'manual')`,
    [versionId, datasetId, projectId, digest],
  );
  const error = { code: 'internal_error', message: 'No.', hint: 'No.', retryable: true, logSeq: 1 };
  await database().query(
    `insert into training_jobs (id, project_id, account_id, name, search_text, kind, base_model_id, base_sha256, dataset_id,
       dataset_version_id, hyperparameters, evaluation, rate_micro_per_minute, price_version, created_by, log_seq, attempt,
       adapter_sha256, archive_sha256, archive_bytes, result, queue_round, state, error, finished_at)
     values ($1, $2, $3, 'Lamps', '', 'text', 'fanfold-tiny-chat', $4, $5, $6, '{}', '{}', 0, 'v', '{}', 1, 2, $4, $4, 1, '{}', 1, $7, $8, now())`,
    [
      ...[id, projectId, accountId, digest, datasetId, versionId, state],
      state === 'failed' ? JSON.stringify(error) : null,
    ],
  );
  return { id, keys: artifactKeys({ jobId: id, attempt: 2 }) };
}

test('the doctor names each file that a finished job or an import in flight cannot do without, and no other', async () => {
  const [job, open] = [await seedJob('succeeded'), await seedImport({ ended: false })];
  await seedJob('failed');
  await seedImport({ ended: true });
  for (const key of [...Object.values(job.keys), open.key]) await put(key);
  assert.deepEqual(await check(), { lines: [complete], problems: [] });

  await objects.remove(job.keys.adapter);
  await objects.remove(open.key);
  assert.deepEqual(await check(), {
    lines: [],
    problems: [
      `objects: ${job.keys.adapter} is missing, which training job ${job.id} needs`,
      `objects: ${open.key} is missing, which import ${open.id} needs`,
    ],
  });
});

/** The doctor as a command, with its objects in that bucket. */
async function doctorBefore({ bucket, prefix, endpoint, credentials }: Awaited<ReturnType<typeof startS3Server>>) {
  const env = {
    ...process.env,
    DATABASE_URL: database().url,
    FANFOLD_DATA_DIR: root,
    FANFOLD_OBJECT_STORE: `s3://${bucket}/${prefix}`,
    FANFOLD_S3_ENDPOINT: endpoint ?? '',
    FANFOLD_S3_ACCESS_KEY_ID: credentials?.accessKeyId ?? '',
    FANFOLD_S3_SECRET_ACCESS_KEY: credentials?.secretAccessKey ?? '',
  };
  const child = spawn(process.execPath, [join(import.meta.dirname, '../main.ts'), 'doctor'], { env });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { lines: stdout.trim().split('\n'), stderr, code: Number(code) };
}

test('the doctor names what is missing and fails also where the object store refuses to be listed', async (t) => {
  const bucket = await startS3Server({ refusesLists: true });
  const store = await openS3(bucket);
  t.after(async () => {
    await store.close();
    await bucket.stop();
  });
  const [job, open] = [await seedJob('succeeded'), await seedImport({ ended: false })];
  const { adapter, ...others } = job.keys;
  for (const key of Object.values(others)) await store.put(key, Readable.from([Buffer.from('x')]));
  const { lines, stderr, code } = await doctorBefore(bucket);
  assert.equal(code, 1, stderr);
  const about = (id: string) => lines.filter((line) => line.includes(id));
  assert.deepEqual(about(job.id), [`objects: ${adapter} is missing, which training job ${job.id} needs`]);
  assert.deepEqual(about(open.id), [`objects: ${open.key} is missing, which import ${open.id} needs`]);
  const refused = lines.filter((line) => line.startsWith('objects: they could not be looked through: '));
  assert.equal(refused.length, 1, 'the list is tried, and nothing else fails');
});
