import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Compile } from 'typebox/compile';
import { until } from '#test/scripted-engine.ts';
import { addModel } from './add-model.ts';
import {
  type Caller,
  type HostedAnswer,
  type HostedServer,
  type Project,
  refusalOf,
  startHostedServer,
  tinyChat,
  untilState,
} from './hosted-server.fixture.ts';
import { type ShareWire, shareSchema } from './shares.schema.ts';

let dataDir: string;
let server: HostedServer;
before(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'fanfold-shares-'));
  server = await startHostedServer({ dataDir });
});
after(async () => {
  await server?.stop();
  await rm(dataDir, { recursive: true, force: true });
});

const share = Compile(shareSchema);
const refused = [404, 'project_not_found', null];
const hello = (model: string) => ({
  model,
  messages: [{ role: 'user', content: 'Hello!' }],
  max_tokens: 1,
  reasoning_effort: 'none',
});
const call = ({ ask }: Caller, { compat }: Project, model: string) =>
  ask('POST', `${compat}/chat/completions`, hello(model));
/** as: the shape is checked where it matters. */
const shareIn = ({ body }: HostedAnswer) => body as unknown as ShareWire;

/** Ada's private project with two active aliases, of which `lent` is the one that she means to share. */
async function scene({ visibility = 'shared', target = tinyChat }: { visibility?: string; target?: object } = {}) {
  const [ada, bob] = [await server.account(), await server.account()];
  const project = await ada.project();
  const lent = await project.create({ alias: 'lent', target, visibility, activate: true });
  await untilState(ada, project, { id: lent.id, state: 'active' });
  await project.create({ alias: 'kept', target: tinyChat, visibility: 'shared', activate: true });
  const path = `${project.path}/${lent.id}/shares`;
  const shareWith = (body: object) => ada.ask('POST', path, body);
  return { ada, bob, project, lent, path, shareWith };
}

test('two accounts share one model and nothing else', async () => {
  const { ada, bob, project, lent, shareWith } = await scene();
  assert.deepEqual(refusalOf(await call(bob, project, 'lent')), refused);
  const shared = await shareWith({ account_slug: bob.slug });
  assert.equal(shared.status, 201);
  assert.ok(share.Check(shared.body), JSON.stringify(shared.body));
  assert.deepEqual(shareIn(shared).account, { id: bob.accountId, slug: bob.slug });

  assert.equal((await call(bob, project, 'lent')).status, 200);
  const list = await bob.ask('GET', `${project.compat}/models`);
  assert.deepEqual(
    // as: the compatible list.
    (list.body.data as { id: string }[]).map(({ id }) => id),
    ['lent'],
  );
  assert.deepEqual(refusalOf(await call(bob, project, 'kept')), [404, 'model_not_found', 'model']);
  assert.deepEqual(refusalOf(await call(bob, project, 'nothing')), [404, 'model_not_found', 'model']);
  assert.deepEqual(refusalOf(await call(bob, project, 'fanfold-tiny-chat')), [403, 'owner_required', 'model']);
  for (const hidden of ['', `/${lent.id}`, `/${lent.id}/shares`, `/${lent.id}/revisions`])
    assert.deepEqual(refusalOf(await bob.ask('GET', project.path + hidden)), [404, 'not_found', null], hidden);
  for (const sub of ['/activate', '/deactivate'])
    assert.deepEqual(refusalOf(await bob.ask('PATCH', `${project.path}/${lent.id}${sub}`)), [
      403,
      'owner_required',
      null,
    ]);
  // A third account has nothing to do with it, and Bob's own projects are closed to Ada.
  const eve = await server.account();
  assert.deepEqual(refusalOf(await call(eve, project, 'lent')), refused);
  const own = await bob.project();
  assert.deepEqual(refusalOf(await call(ada, own, 'anything')), refused);
});

test('the caller pays for a shared model, at the rate that was frozen before the catalogue changed', async () => {
  const ggufPath = server.app.models.find('fanfold-tiny-chat')?.installed?.ggufPath ?? assert.fail();
  const add = (rate: string, force: boolean) =>
    addModel(server.app.models, { id: 'priced', kind: 'text', ggufPath, rate, force });
  const costs = (micro: bigint) => until(() => server.app.models.find('priced')?.rateMicroPerMinute === micro);
  await add('0.5', false);
  await costs(500_000n);
  const { ada, bob, project, lent, shareWith } = await scene({ target: { type: 'base_model', id: 'priced' } });
  await shareWith({ account_slug: bob.slug });
  await add('9', true);
  await costs(9_000_000n);
  assert.equal((await call(bob, project, 'lent')).status, 200);
  const rows = await server.db.database.query<Record<string, unknown>>(
    `select account_id, project_id, rate_micro_per_minute as rate, model_requested as model, model_revision as revision,
            micro < 0 as paid from ledger where type = 'inference' and project_id = $1`,
    [project.projectId],
  );
  assert.deepEqual(rows, [
    {
      account_id: bob.accountId,
      project_id: project.projectId,
      rate: 500_000n,
      model: 'lent',
      revision: 1,
      paid: true,
    },
  ]);
  // A new activation takes the new rate.
  await ada.ask('PATCH', `${project.path}/${lent.id}/deactivate`);
  await ada.ask('PATCH', `${project.path}/${lent.id}/activate`);
  const { rate } = await untilState(ada, project, { id: lent.id, state: 'active' });
  assert.equal(rate.credits_per_gpu_minute, '9.000000');
});

test('the calls of a share are counted from the ledger', async () => {
  const { ada, bob, project, path, shareWith } = await scene();
  assert.equal(shareIn(await shareWith({ account_slug: bob.slug })).calls_30d, 0);
  for (const as of [bob, bob, ada]) assert.equal((await call(as, project, 'lent')).status, 200);
  const { body } = await ada.ask('GET', path);
  // as: a page of shares.
  const [row] = body.data as ShareWire[];
  assert.equal(row?.calls_30d, 2);
});

test('a share ends with its time and with its deletion, at the very next call', async () => {
  const { ada, bob, project, path, shareWith } = await scene();
  const soon = new Date(Date.now() + 3_600_000);
  const { id } = shareIn(await shareWith({ account_slug: bob.slug, expires_at: soon.toISOString() }));
  assert.equal((await call(bob, project, 'lent')).status, 200);
  // An hour later.
  await server.db.database.query("update model_shares set expires_at = expires_at - interval '1 hour' where id = $1", [
    id,
  ]);
  while (Date.now() <= soon.getTime() - 3_600_000) await sleep(5);
  assert.deepEqual(refusalOf(await call(bob, project, 'lent')), refused);

  const again = await shareWith({ account_slug: bob.slug });
  assert.deepEqual([again.status, shareIn(again).id, shareIn(again).expires_at], [200, id, null]);
  assert.equal((await call(bob, project, 'lent')).status, 200);
  assert.equal((await ada.ask('DELETE', `${path}/${id}`)).status, 204);
  assert.deepEqual(refusalOf(await call(bob, project, 'lent')), refused);
  assert.deepEqual(refusalOf(await ada.ask('DELETE', `${path}/${id}`)), [404, 'not_found', null]);
});

test('visibility decides: a private model waits with its shares, a public one needs none but a project that is seen', async () => {
  const { ada, bob, project, lent, shareWith } = await scene({ visibility: 'private' });
  await shareWith({ account_slug: bob.slug });
  assert.deepEqual(refusalOf(await call(bob, project, 'lent')), [404, 'model_not_found', 'model']);
  const become = (visibility: string) => ada.ask('PATCH', `${project.path}/${lent.id}`, { visibility });
  await become('shared');
  assert.equal((await call(bob, project, 'lent')).status, 200);
  await become('public');
  assert.equal((await call(bob, project, 'lent')).status, 200);
  const eve = await server.account();
  assert.deepEqual(refusalOf(await call(eve, project, 'lent')), refused);
  const open = project.path.replace('/hosted-models', '');
  assert.equal((await ada.ask('PATCH', open, { visibility: 'public' })).status, 200);
  assert.equal((await call(eve, project, 'lent')).status, 200);
  await become('shared');
  assert.deepEqual(refusalOf(await call(eve, project, 'lent')), [404, 'model_not_found', 'model']);
  assert.equal((await call(bob, project, 'lent')).status, 200);
});

test('twenty wishes to share at once make one share; wrong ones are refused by field; the feed tells what changed', async () => {
  const { ada, bob, path, shareWith } = await scene();
  const at = new Date(Date.now() + 3_600_000).toISOString();
  const wishes = await Promise.all(
    Array.from({ length: 20 }, () => shareWith({ account_slug: bob.slug, expires_at: at })),
  );
  assert.equal(wishes.filter(({ status }) => status === 201).length, 1);
  assert.equal(wishes.filter(({ status }) => status === 200).length, 19);
  assert.equal(new Set(wishes.map((wish) => shareIn(wish).id)).size, 1);
  const refusal = async (body: object) => refusalOf(await shareWith(body));
  assert.deepEqual(await refusal({ account_slug: ada.slug }), [400, 'invalid_request', 'account_slug']);
  assert.deepEqual(await refusal({ account_slug: 'nobody-here' }), [404, 'not_found', 'account_slug']);
  assert.deepEqual(await refusal({}), [422, 'invalid_request', 'account_slug']);
  for (const expires_at of [
    '2020-01-01T00:00:00Z',
    'tomorrow',
    '2030-13-01T00:00:00Z',
    '2030-02-29T00:00:00Z',
    '9999-12-31T23:59:59-14:00',
    '',
  ])
    assert.deepEqual(await refusal({ account_slug: bob.slug, expires_at }), [400, 'invalid_request', 'expires_at']);
  const { id } = shareIn(await shareWith({ account_slug: bob.slug, expires_at: null }));
  await ada.ask('DELETE', `${path}/${id}`);
  const rows = await server.db.database.query<{ type: string; until: string | null }>(
    `select type, data->>'expires_at' as until from activity
      where account_id = $1 and type like 'share.%' order by created_at, id`,
    [ada.accountId],
  );
  assert.deepEqual(rows, [
    { type: 'share.created', until: at },
    { type: 'share.created', until: null },
    { type: 'share.deleted', until: null },
  ]);
});

test('shares are paged, newest first, each once', async () => {
  const { ada, path, shareWith } = await scene();
  const slugs: string[] = [];
  for (let n = 0; n < 5; n++) {
    const { slug } = await server.account();
    await shareWith({ account_slug: slug });
    slugs.unshift(slug);
  }
  const seen: string[] = [];
  let cursor: unknown = null;
  do {
    const { body } = await ada.ask('GET', `${path}?limit=2${cursor === null ? '' : `&cursor=${cursor}`}`);
    // as: a page of shares.
    seen.push(...(body.data as ShareWire[]).map(({ account }) => account.slug));
    assert.equal(body.total_count, 5);
    cursor = body.next_cursor;
  } while (cursor !== null);
  assert.deepEqual(seen, slugs);
});

test('a model is shared by e-mail address too, and whom it is shared with reads it in the own feed', async () => {
  const { ada, bob, project, shareWith } = await scene();
  await server.db.database.query(`update accounts set email = 'bob@example.com' where id = $1`, [bob.accountId]);
  const shared = await shareWith({ account_slug: 'Bob@Example.com' });
  assert.deepEqual([shared.status, shareIn(shared).account.slug], [201, bob.slug]);
  assert.equal((await call(bob, project, 'lent')).status, 200);
  const { body } = await bob.ask('GET', '/api/v1/activity?type=share.created');
  // as: a page of the feed.
  const [row] = body.data as { subject: { label: string; href: string }; message: string; project: unknown }[];
  assert.match(row?.message ?? '', new RegExp(`^${ada.slug} shares the model ${ada.slug}/.*/lent with you\\.$`));
  assert.equal(row?.subject.href, '/models?access=shared');
  for (const account_slug of ['nobody@example.com', 'no address@', '@'])
    assert.deepEqual(refusalOf(await shareWith({ account_slug })), [404, 'not_found', 'account_slug']);
});
