import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { seedAccount } from '#test/accounts.ts';
import { startApp, type TestApp } from '#test/app.ts';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import type { HubServer } from '#test/hub-server.ts';
import { type SignedIn, seedSession } from '#test/sessions.ts';
import { startTinyHub, tinyId, tinyRepo } from '#test/tiny-hub.ts';

let db: TestDatabase;
let hub: HubServer;
let dataDir: string;
let app: TestApp;
let session: SignedIn;

const start = (folder = dataDir) => startApp(db.database, { dataDir: folder, settings: { HF_ENDPOINT: hub.url } });

before(async () => {
  db = await createTestDatabase();
  hub = await startTinyHub();
  dataDir = await mkdtemp(join(tmpdir(), 'fanfold-operator-'));
  app = await start();
  const { accountId } = await seedAccount(db.database);
  await db.database.query(`update accounts set role = 'admin' where id = $1`, [accountId]);
  session = await seedSession(db.database, { accountId });
});

beforeEach(async () => {
  await ask('DELETE', `models/${tinyId}`);
  await rm(join(dataDir, 'models', tinyId), { recursive: true, force: true });
  hub.requests.length = 0;
});

after(async () => {
  await app?.stop();
  await hub?.close();
  await db?.drop();
  await rm(dataDir, { recursive: true, force: true });
});

async function ask(method: string, path: string, body?: object) {
  const response = await fetch(`${app.origin}/api/v1/operator/${path}`, {
    method,
    headers: { ...session.headers, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  return { status: response.status, body: Object(await response.json()) };
}

async function untilPull(id: string, isSo: (pull: { state: string; phase: string | null }) => boolean) {
  for (;;) {
    const { body } = await ask('GET', `pulls/${id}`);
    if (isSo(body)) return body;
    assert.ok(!/succeeded|failed|canceled/.test(body.state), JSON.stringify(body));
    await sleep(50);
  }
}

const ended = (id: string) => untilPull(id, ({ state }) => !/queued|running/.test(state));
const transfers = () =>
  hub.requests.flatMap(({ host, headers: { range } }) =>
    host === 'store' && !/^bytes=\d+-\d+$/.test(range ?? '') ? [range ?? 'whole'] : [],
  );

test('a model is found at the hub, weighed against this machine, pulled in the background, and listed', async () => {
  const found = await ask('GET', 'hub/models?search=tiny');
  assert.deepEqual(
    found.body.data.map(({ repo, gated }: { repo: string; gated: boolean }) => [repo, gated]),
    [[tinyRepo, false]],
  );
  const { body: forms } = await ask('GET', `hub/variants?model=${encodeURIComponent(tinyRepo)}`);
  const [form] = forms.variants;
  assert.deepEqual([forms.kind, form.model, form.fits, form.chosen], ['text', `${tinyRepo}:Q8_0`, true, true]);
  assert.ok(form.needed_bytes > form.size_bytes && form.needed_bytes < forms.budget_bytes);

  const { status, body: pull } = await ask('POST', 'pulls', { model: tinyRepo });
  assert.deepEqual([status, pull.state], [202, 'queued']);
  const done = await ended(pull.id);
  assert.deepEqual([done.state, done.base_model_id, done.error], ['succeeded', tinyId, null]);
  assert.equal(done.received_bytes, done.total_bytes);
  assert.match(done.note, /Q8_0 of org\/Tiny-Talk-GGUF/);
  assert.equal((await ask('GET', 'pulls')).body.data[0].id, pull.id);

  const { body: models } = await ask('GET', 'models');
  const row = models.data.find(({ id }: { id: string }) => id === tinyId);
  assert.deepEqual([row.installed, row.from, row.kind, row.runtime.status], [true, 'hub', 'text', 'cold']);
  assert.ok(row.planned.model.memory_bytes > row.size_bytes / 2 && row.planned.runs_on.length > 0);
  assert.ok(models.machine.memory_bytes > 0);
});

test('the same pull that is in flight is not begun again', async () => {
  hub.misbehave({ type: 'stall', afterBytes: 100_000 });
  const first = await ask('POST', 'pulls', { model: tinyRepo });
  const second = await ask('POST', 'pulls', { model: tinyRepo });
  assert.deepEqual([second.status, second.body.id], [200, first.body.id]);
  await untilPull(first.body.id, ({ phase }) => phase === 'download');
  const canceled = await ask('POST', `pulls/${first.body.id}/cancel`);
  assert.equal(canceled.status, 200, JSON.stringify(canceled.body));
  assert.equal((await ended(first.body.id)).state, 'canceled');
});

test('of two servers one fetches', async () => {
  const elsewhere = await mkdtemp(join(tmpdir(), 'fanfold-operator-'));
  const other = await start(elsewhere);
  try {
    const { body } = await ask('POST', 'pulls', { model: tinyRepo });
    assert.equal((await ended(body.id)).state, 'succeeded');
    assert.equal(transfers().length, 1);
  } finally {
    await other.stop();
    await rm(elsewhere, { recursive: true, force: true });
  }
});

test('a pull goes on where it stopped after a restart', async () => {
  hub.misbehave({ type: 'stall', afterBytes: 400_000 });
  const { body } = await ask('POST', 'pulls', { model: tinyRepo });
  await untilPull(body.id, ({ phase }) => phase === 'download');
  await app.stop();
  app = await start();
  assert.equal((await ended(body.id)).state, 'succeeded');
  const [first, second] = transfers();
  assert.equal(first, 'whole');
  assert.match(second ?? '', /^bytes=[1-9]\d*-$/);
});

test('a pull that cannot be says why, at once or in its row', async () => {
  const unknown = await ask('POST', 'pulls', { model: 'no-such-model' });
  assert.deepEqual([unknown.status, unknown.body.error.code], [400, 'invalid_request']);
  assert.match(unknown.body.error.message, /no model "no-such-model" to pull\..* Search the hub for others\.$/);
  const { body } = await ask('POST', 'pulls', { model: 'org/nothing-here' });
  const { state, error } = await ended(body.id);
  assert.equal(state, 'failed');
  assert.match(error, /org\/nothing-here/);
});

test('a file is added by its path, set, and removed unless it is used', async () => {
  const path = app.models.find('fanfold-tiny-chat')?.installed?.ggufPath ?? assert.fail();
  const added = await ask('POST', 'models', { id: 'mine', path, context_tokens: 2048 });
  assert.deepEqual([added.status, added.body.max_context_tokens], [201, 2048]);
  const again = await ask('POST', 'models', { id: 'mine', path });
  assert.deepEqual(
    [again.body.error.code, again.body.error.message],
    ['invalid_request', 'mine is already there; remove it first, or choose another id.'],
  );
  const set = await ask('PATCH', 'models/mine', { context_tokens: 1024, kv: 'q8_0' });
  assert.deepEqual([set.status, set.body.kv, set.body.path], [200, 'q8_0', path]);
  const job = `insert into hosted_models (id, project_id, alias, display_name, search_text, target_type, target_id, base_model_id, state, rate_micro_per_minute, price_version)
    select 'hm_x', id, 'used', 'used', 'used', 'base_model', 'mine', 'mine', 'active', 0, 'v' from projects limit 1`;
  const { accountId } = await seedAccount(db.database);
  await db.database.query(
    `insert into projects (id, account_id, slug, name, kind, search_text) values ('prj_x', $1, 'p', 'p', 'text', 'p')`,
    [accountId],
  );
  await db.database.query(job);
  const refused = await ask('DELETE', 'models/mine');
  assert.deepEqual([refused.status, refused.body.error.code], [409, 'in_use']);
  assert.deepEqual((await ask('DELETE', 'models/mine?force=true')).body, { deleted: false });
  assert.equal((await ask('GET', 'models/no-such-model')).status, 404);
});
