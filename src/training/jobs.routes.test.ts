import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { doctor } from '#billing';
import { openFolderStore } from '#objects';
import { examples, openJobs } from './jobs.fixture.ts';
import { isStored, removeSnapshot } from './prepare/snapshot.ts';

const { server, dataDir, close, ada, jobs, wanted, make } = await openJobs();
after(close);

test('a base model without its weights is refused with the commands that bring what is missing', async () => {
  const { status, json } = await ada.ask('POST', jobs, wanted({}, { base_model: 'qwen3-0.6b' }));
  assert.equal(status, 404);
  assert.equal(json.error.param, 'base_model');
  assert.match(json.error.message, /lacks the file that serves it and the weights to train on/);
  assert.match(json.error.message, /fanfold models pull qwen3-0\.6b; fanfold models pull qwen3-0\.6b --weights$/);
});

type Line = { seq: number; message: string; source: string; attempt: number };

async function logOf(jobId: string): Promise<Line[]> {
  const { data, total_count } = await ada.ok('GET', `${jobs}/${jobId}/logs?limit=100`);
  assert.deepEqual(
    data.map(({ seq }: Line) => seq),
    data.map((_: Line, index: number) => index + 1),
  );
  assert.equal(total_count, data.length);
  return data;
}

async function chargesOf(jobId: string) {
  const { data } = await ada.ok('GET', '/api/v1/credits/usage?type=training&limit=100');
  return data
    .filter((row: { training_job_id: string }) => row.training_job_id === jobId)
    .map(({ attempt, active_ms, units, credits }: Record<string, unknown>) => ({ attempt, active_ms, units, credits }));
}

const reserved = async () => (await ada.ok('GET', '/api/v1/credits')).reserved;

test('what cannot be trained is refused with the field at fault', async () => {
  const cases: [object, number, string, string | null][] = [
    [{ ...wanted(), base_model: 'none' }, 404, 'model_not_found', 'base_model'],
    [{ ...wanted(), base_model: 'qwen3-0.6b' }, 404, 'model_not_found', 'base_model'],
    [{ ...wanted(), base_model: 'fanfold-tiny-embed' }, 409, 'kind_mismatch', 'base_model'],
    [{ ...wanted(), dataset_id: 'ds_none' }, 404, 'not_found', 'dataset_id'],
    [{ ...wanted(), dataset_version_id: 'dsv_none' }, 404, 'not_found', 'dataset_version_id'],
    [wanted({ lora_rank: 0 }), 400, 'invalid_request', 'hyperparameters.lora_rank'],
    [wanted({ epochs: 1.5 }), 400, 'invalid_request', 'hyperparameters.epochs'],
    [wanted({ epochs: '2' }), 422, 'invalid_request', 'hyperparameters.epochs'],
    [wanted({ packing: true }), 400, 'invalid_request', 'hyperparameters.packing'],
    [wanted({ packing: 'yes' }), 422, 'invalid_request', 'hyperparameters.packing'],
    [wanted({ temperature: 1 }), 400, 'invalid_request', 'hyperparameters.temperature'],
    [wanted({}, { deploy: { alias: 'No!', activate: true } }), 400, 'invalid_request', 'deploy.alias'],
    [wanted({}, { evaluation: { test_ratio: 0.9 } }), 400, 'invalid_request', 'evaluation.test_ratio'],
    [{ base_model: 'fanfold-tiny-chat' }, 422, 'invalid_request', 'dataset_id'],
  ];
  for (const [body, status, code, param] of cases) {
    const { json, ...answer } = await ada.ask('POST', jobs, body);
    assert.deepEqual([answer.status, json.error.code, json.error.param], [status, code, param], JSON.stringify(body));
  }
  const few = await ada.dataset([]);
  const { json } = await ada.ask('POST', jobs, { ...wanted(), dataset_id: few });
  assert.deepEqual(json.error.details, { reason: 'too_few_examples', min: 10, actual: 0 });
});

test('a dry run tells what it would cost and makes nothing; without credits nothing is made either', async () => {
  const preview = await ada.ok('POST', jobs, wanted({}, { dry_run: true }));
  assert.equal(preview.job.hyperparameters.lora_rank, 8);
  assert.ok(preview.warnings.some(({ code }: { code: string }) => code === 'few_examples'));
  assert.equal((await ada.ok('GET', jobs)).total_count, 0);
  const poor = await server.person({ credits: 1 });
  await server.database.query('update accounts set balance_micro = 0 where id = $1', [poor.accountId]);
  const theirs = await poor.dataset(examples);
  const { status, json } = await poor.ask('POST', `${poor.project}/training-jobs`, { ...wanted(), dataset_id: theirs });
  assert.deepEqual([status, json.error.code], [402, 'insufficient_credits']);
  await server.database.query('update accounts set balance_micro = 1000000 where id = $1', [poor.accountId]);
});

test('a dry run warns of long examples before the first version exists, with their number', async () => {
  const long = (n: number) => ({
    text: {
      messages: [
        { role: 'user', content: `Say ${n}` },
        { role: 'assistant', content: `It is ${'seven '.repeat(700)}${n}.` },
      ],
    },
    split: 'train',
  });
  const dataset = await ada.dataset([...examples, long(1), long(2)]);
  const body = { ...wanted({}, { dry_run: true }), dataset_id: dataset };
  const { warnings } = await ada.ok('POST', jobs, body);
  const told = warnings.find(({ code }: { code: string }) => code === 'long_examples');
  assert.match(told?.message ?? '', /longer than 512 tokens are left out: 2 of this dataset/);
});

const stored = async () => (await ada.ok('GET', '/api/v1/me/limits')).used.storage_bytes;

test('no job begins where the account may store nothing more', async () => {
  const { accountId } = ada;
  const allow = (bytes: number | null) =>
    server.database.query('update accounts set max_storage_bytes = $2 where id = $1', [accountId, bytes]);
  await allow(await stored());
  const { status, json } = await ada.ask('POST', jobs, wanted());
  assert.deepEqual([status, json.error.details.reason], [409, 'max_storage']);
  await allow(null);
});

test('a run that diverges is paid for by its active time, and one that breaks is not', async () => {
  const [diverged, broken] = await Promise.all([make(4, 20), make(5, 20)]);
  const [one, other] = [await ada.until(diverged.id, 'failed'), await ada.until(broken.id, 'failed')];
  assert.deepEqual([one.error.code, other.error.code], ['loss_diverged', 'internal_error']);
  assert.deepEqual([one.billed_ms, one.credits], [600, '0.000600']);
  assert.deepEqual([other.billed_ms, other.credits], [0, '0.000000']);
  assert.deepEqual(await chargesOf(diverged.id), [{ attempt: 1, active_ms: 600, units: 6, credits: '-0.000600' }]);
  assert.deepEqual(await chargesOf(broken.id), []);
  const lines = await logOf(diverged.id);
  assert.equal(lines.find(({ seq }) => seq === one.error.log_seq)?.message, 'It is loss_diverged.');
  assert.ok(lines.some(({ message, source }) => message === 'a line of a library' && source === 'trainer'));
  assert.equal(await reserved(), '0.000000');
});

test('a trainer that is killed goes on from its checkpoint, and what is done twice is charged once', async () => {
  const { id } = await make(2, 12);
  // It saves nothing that could be served, which is told in the end and charged to nobody.
  const job = await ada.until(id, 'failed');
  assert.equal(job.error.code, 'artifact_write_failed');
  assert.deepEqual([job.attempt, job.active_ms], [1, 1_200]);
  const lines = await logOf(id);
  const gone = 'The trainer was ended by signal 9. The attempt goes on by itself.';
  for (const told of [gone, 'Training goes on from step 5.'])
    assert.equal(lines.filter(({ message }) => message === told).length, 1, told);
  assert.equal(lines.filter(({ message }) => message === 'Checkpoint at step 5.').length, 1);
  const { series } = await ada.ok('GET', `${jobs}/${id}/metrics`);
  const loss = series.find(({ name }: { name: string }) => name === 'loss');
  assert.deepEqual(
    loss.points.map(([step]: number[]) => step),
    Array.from({ length: 12 }, (_, index) => index + 1),
  );
});

test('a trainer that is lost at the same place again and again is given up, at no cost', async () => {
  const { id } = await make(3, 12);
  const job = await ada.until(id, 'failed');
  assert.deepEqual([job.error.code, job.attempt, job.credits], ['worker_lost', 1, '0.000000']);
  assert.equal(job.error.message, 'The trainer was ended by signal 9.');
  assert.equal((await logOf(id)).filter(({ message }) => message === 'Training begins.').length, 5);
});

test('a running job is canceled at its next step, paid for until then, and retried from its checkpoint', async () => {
  const { id } = await make(1, 5_000);
  await ada.until(id, 'running');
  const canceling = await ada.ok('POST', `${jobs}/${id}/cancel`, {});
  assert.ok(['canceling', 'canceled'].includes(canceling.state));
  const job = await ada.until(id, 'canceled');
  const [charge] = await chargesOf(id);
  assert.equal(charge.active_ms, job.active_ms);
  assert.equal(job.billed_ms, Number(charge.units) * 100);
  assert.equal((await ada.ok('POST', `${jobs}/${id}/cancel`, {})).state, 'canceled');
  const estimate = await ada.ok('GET', `${jobs}/${id}/retry-estimate`);
  assert.deepEqual([estimate.can_retry, estimate.basis, estimate.checkpoint.attempt], [true, 'measured_step_time', 1]);
  const { data: tried } = await ada.ok('GET', `${jobs}/${id}/attempts`);
  const saved = tried[0].checkpoints.find(({ step }: { step: number }) => step === estimate.checkpoint.step);
  assert.equal(estimate.checkpoint.saved_at, saved.created_at);
  const retried = await ada.ok('POST', `${jobs}/${id}/retry`, { from: 'checkpoint' });
  assert.deepEqual([retried.attempt, retried.state], [2, 'queued']);
  await ada.until(id, 'running');
  await ada.ok('POST', `${jobs}/${id}/cancel`, { keep_checkpoint: false });
  await ada.until(id, 'canceled');
  const { data } = await ada.ok('GET', `${jobs}/${id}/attempts`);
  assert.deepEqual(
    data.map(({ number, resumed_from }: Record<string, unknown>) => [number, resumed_from]),
    [
      [2, { attempt: 1, step: estimate.checkpoint.step }],
      [1, null],
    ],
  );
  assert.ok(
    (await logOf(id)).some(({ message }) => message === `Training goes on from step ${estimate.checkpoint.step}.`),
  );
  assert.equal((await chargesOf(id)).length, 2);
});

test('a job that is tried again after its data were removed makes them anew', async () => {
  const { id } = await make(4, 20);
  await ada.until(id, 'failed');
  const [job] = await server.database.query<{ snapshot: Parameters<typeof isStored>[1] }>(
    'select snapshot from training_jobs where id = $1',
    [id],
  );
  assert.ok(job);
  const objects = openFolderStore(join(dataDir, 'objects'));
  assert.ok(await isStored(objects, job.snapshot));
  await removeSnapshot(objects, job.snapshot.sha256);
  await ada.ok('POST', `${jobs}/${id}/retry`, { from: 'start' });
  const { attempt, error } = await ada.until(id, 'failed');
  assert.deepEqual([attempt, error.code], [2, 'loss_diverged']);
  assert.ok(await isStored(objects, job.snapshot));
});

test('a job keeps its project out of the archive, and is told by dashboard, feed and what it uses', async () => {
  const { id, dataset_version_id: versionId } = await make(1, 5_000);
  const { json } = await ada.ask('PATCH', ada.project, { archived: true });
  assert.equal(json.error.code, 'in_use');
  await ada.until(id, 'running');
  const dashboard = await ada.ok('GET', '/api/v1/dashboard');
  assert.ok(dashboard.training.active.some((job: { id: string }) => job.id === id));
  assert.equal(dashboard.getting_started.training, true);
  const version = await ada.ok('GET', `${ada.project}/dataset-versions/${versionId}`);
  const { total_count: made } = await ada.ok('GET', jobs);
  assert.equal(version.used_by.training_jobs, made);
  assert.equal((await ada.ok('GET', ada.project)).counts.training_jobs, made);
  const frozen = await ada.ask('GET', `${jobs}/${id}/frozen-dataset`, undefined, { accept: 'application/x-ndjson' });
  assert.equal(frozen.headers.get('etag'), `"${version.sha256}"`);
  assert.equal(frozen.text.trim().split('\n').length, 12);
  await ada.ok('POST', `${jobs}/${id}/cancel`, {});
  await ada.until(id, 'canceled');
  const { data } = await ada.ok('GET', '/api/v1/activity?limit=100');
  const types = new Set(data.map(({ type }: { type: string }) => type));
  for (const type of ['started', 'failed', 'canceled', 'retried', 'interrupted'])
    assert.ok(types.has(`training.${type}`));
});

test('what has succeeded is called by its id and its alias, downloaded in parts, and told by the registry', async () => {
  const asked = wanted({ seed: 1, max_steps: 10 }, { deploy: { alias: 'trained', activate: true } });
  const before = await stored();
  const { id } = await ada.ok('POST', jobs, asked);
  const job = await ada.until(id, 'succeeded');
  assert.ok((await stored()) > before + job.result.adapter.size_bytes);
  assert.deepEqual(job.result.metrics, { exact_match: 1, loss: 0.1 });
  assert.deepEqual(job.result.baseline_metrics, { exact_match: 0, loss: 2 });
  assert.ok(job.result.check.agreement > 0.99 && job.result.check.difference > 0);
  assert.equal(job.can_retry, false);
  const say = async (model: string) => {
    const path = `/api/projects/${ada.slug}/chat/openai/v1/chat/completions`;
    const body = { model, max_tokens: 4, temperature: 0, messages: [{ role: 'user', content: 'Hello' }] };
    return ada.ask('POST', path, body);
  };
  const [byId, unknown] = [await say(job.model_ref), await say('training-job#job_01KAXS2B3C4D5E6F7G8H9J0K1M')];
  assert.deepEqual([byId.status, byId.json.model, unknown.status], [200, job.model_ref, 404]);
  const bob = await server.person();
  const path = `/api/projects/${bob.slug}/chat/openai/v1/chat/completions`;
  const theirs = await bob.ask('POST', path, { model: job.model_ref, messages: [{ role: 'user', content: 'Hi' }] });
  assert.equal(theirs.status, 404);
  const until = performance.now() + 20_000;
  for (;;) {
    const { status } = await say('trained');
    if (status === 200) break;
    assert.ok(performance.now() < until, `the alias answers ${status}`);
  }
  assert.deepEqual((await ada.ok('GET', `${jobs}/${id}`)).deployed_as, ['trained']);

  const whole = await ada.ask('GET', `${jobs}/${id}/lora`);
  const [digest, size] = [whole.headers.get('x-fnf-sha256'), Number(whole.headers.get('content-length'))];
  assert.deepEqual([whole.status, whole.headers.get('etag')], [200, `"${digest}"`]);
  const part = await ada.ask('GET', `${jobs}/${id}/lora`, undefined, { range: 'bytes=0-3' });
  assert.deepEqual(
    [part.status, part.headers.get('content-range'), part.text],
    [206, `bytes 0-3/${size}`, 'PK\u0003\u0004'],
  );
  const head = await ada.ask('HEAD', `${jobs}/${id}/lora`, undefined, { range: 'bytes=0-3' });
  assert.deepEqual([head.status, Number(head.headers.get('content-length'))], [200, size]);
  const known = await ada.ask('GET', `${jobs}/${id}/lora`, undefined, { 'if-none-match': `"${digest}"` });
  const beyond = await ada.ask('GET', `${jobs}/${id}/lora`, undefined, { range: `bytes=${size}-` });
  assert.deepEqual([known.status, beyond.status], [304, 416]);
  const manifest = await ada.ok('GET', `${jobs}/${id}/manifest`);
  assert.equal(manifest.adapter.sha256, job.result.adapter.sha256);

  const { data } = await ada.ok('GET', '/api/v1/models?source=training_job');
  assert.deepEqual(
    data.map(({ ref, callable, project }: Record<string, unknown>) => [ref, callable, project]),
    [[job.model_ref, true, { owner: ada.slug, slug: 'chat' }]],
  );
  assert.equal((await bob.ok('GET', '/api/v1/models?source=training_job')).total_count, 0);
});

test('the books are right in the end', async () => {
  assert.deepEqual(await server.database.query('select request_id from calls where server_id is null'), []);
  assert.deepEqual(await doctor(server.database), []);
  // Somebody forgets what a job had held.
  await server.database.query(
    `with held as (insert into calls (request_id, account_id, operation, held_micro) values ('job_gone/1', $1, 'training_jobs.run', 5))
     update accounts set held_micro = held_micro + 5 where id = $1`,
    [ada.accountId],
  );
  const checks = (await doctor(server.database)).map(({ check }) => check);
  assert.deepEqual(checks, ['training_hold']);
});

test('a control set goes with the job: it is frozen, the trainer gets it, and it is told with the job and in its manifest', async () => {
  // One is for testing, so it is measured: of the others, chance may take all to be learnt along.
  const other = await ada.dataset(examples.map((example, n) => ({ ...example, split: n === 0 ? 'test' : 'train' })));
  const version = await ada.ok('POST', `${ada.project}/datasets/${other}/versions`, {});
  const control = { dataset_version_id: version.id, replay_ratio: 0.25 };
  const without = await ada.ok('POST', jobs, wanted({}, { dry_run: true }));
  const preview = await ada.ok('POST', jobs, wanted({}, { dry_run: true, evaluation: { control } }));
  assert.deepEqual(preview.job.evaluation.control, control);
  assert.equal(without.job.evaluation.control, null);
  assert.ok(preview.estimate.active_ms.expected > without.estimate.active_ms.expected);
  const job = await ada.ok('POST', jobs, wanted({ seed: 77, max_steps: 2 }, { evaluation: { control } }));
  const { evaluation } = await ada.until(job.id, 'succeeded');
  assert.deepEqual(evaluation.control, control);
  const manifest = JSON.parse((await ada.ask('GET', `${jobs}/${job.id}/manifest`)).text);
  assert.equal(manifest.control.version_id, version.id);
  const { control: measured, replay } = manifest.control.counts;
  assert.ok(measured > 0 && replay > 0 && measured + replay === examples.length);
  const param = 'evaluation.control.dataset_version_id';
  for (const id of ['dsv_00000000000000000000000000', 'nonsense']) {
    const answer = await ada.ask('POST', jobs, wanted({}, { evaluation: { control: { dataset_version_id: id } } }));
    assert.deepEqual([answer.status, answer.json.error.code, answer.json.error.param], [404, 'not_found', param]);
  }
});
