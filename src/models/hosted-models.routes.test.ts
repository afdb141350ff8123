import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Compile } from 'typebox/compile';
import { bearer } from '#test/accounts.ts';
import { hostedSchema, revisionSchema } from './hosted-models.schema.ts';
import {
  type HostedServer,
  hostedIn,
  refusalOf,
  startHostedServer,
  tinyChat,
  tinyEmbed,
  untilState,
} from './hosted-server.fixture.ts';
import type { HostedWire } from './hosted-wire.ts';

let server: HostedServer;
before(async () => {
  server = await startHostedServer();
});
after(() => server?.stop());

const [hosted, revision] = [Compile(hostedSchema), Compile(revisionSchema)];

type PageBody = { data: HostedWire[]; next_cursor: string | null; total_count: number };
/** as: the shape of pages, whose rows are checked here. */
const pageIn = (body: Record<string, unknown>) => body as unknown as PageBody;

const hello = (model: string) => ({ model, messages: [{ role: 'user', content: 'Hello!' }], max_tokens: 1 });

test('an alias is made, activated, called, deactivated and refused, in the shape of the contract', async () => {
  const ada = await server.account();
  const project = await ada.project();
  const made = await project.create({ alias: 'helper', target: tinyChat, display_name: 'Helper' });
  assert.ok(hosted.Check(made), JSON.stringify([...hosted.Errors(made)]));
  assert.deepEqual([made.state, made.enabled, made.revision, made.share_count], ['inactive', false, 1, 0]);
  assert.deepEqual(made.limits, {
    max_context_tokens: 4096,
    max_input_tokens: null,
    max_inputs: null,
    request_token_budget: null,
  });
  const call = () => ada.ask('POST', `${project.compat}/chat/completions`, hello('helper'));
  assert.deepEqual(refusalOf(await call()), [404, 'model_not_found', 'model']);

  const activated = await ada.ask('PATCH', `${project.path}/${made.id}/activate`);
  assert.equal(activated.status, 200);
  const during = await call();
  if (hostedIn(activated.body).state === 'warming' && during.status !== 200) {
    assert.deepEqual(refusalOf(during), [503, 'model_warming', 'model']);
    assert.match(during.headers.get('retry-after') ?? '', /^[1-9][0-9]?$/);
  }
  const active = await untilState(ada, project, { id: made.id, state: 'active' });
  assert.ok(hosted.Check(active));
  assert.deepEqual([active.enabled, active.runtime.status, active.error], [true, 'ready', null]);
  assert.equal(active.runtime.runs_on, 'CPU');
  assert.ok(Date.parse(String(active.runtime.loaded_at)) > Date.parse(made.created_at) - 60_000);
  assert.equal((await call()).status, 200);
  // Again: unchanged, and no second row in the feed.
  const activatedAgain = hostedIn((await ada.ask('PATCH', `${project.path}/${made.id}/activate`)).body);
  // The time of the call is written in the background.
  assert.deepEqual({ ...activatedAgain, last_called_at: null }, { ...active, last_called_at: null });

  const off = hostedIn((await ada.ask('PATCH', `${project.path}/${made.id}/deactivate`)).body);
  assert.deepEqual([off.state, off.enabled], ['inactive', false]);
  assert.deepEqual(refusalOf(await call()), [404, 'model_not_found', 'model']);
  const again = hostedIn((await ada.ask('PATCH', `${project.path}/${made.id}/deactivate`)).body);
  assert.equal(again.updated_at, off.updated_at);
  const feed = await server.db.database.query<{ type: string }>(
    `select type from activity where account_id = $1 and type like 'model.%' order by created_at, id`,
    [ada.accountId],
  );
  assert.deepEqual(
    feed.map(({ type }) => type),
    ['model.created', 'model.activated', 'model.deactivated'],
  );
});

test('names that cannot be an alias, and targets that cannot be served, are refused by field', async () => {
  const ada = await server.account();
  const project = await ada.project();
  await project.create({ alias: 'taken', target: tinyChat });
  const refusal = async (body: object) => refusalOf(await ada.ask('POST', project.path, body));
  for (const alias of [
    'A',
    '-a',
    'a#b',
    'training-job#1',
    'a b',
    '',
    'a'.repeat(64),
    'qwen3-0.6b',
    'fanfold-tiny-chat',
  ])
    assert.deepEqual(await refusal({ alias, target: tinyChat }), [400, 'invalid_request', 'alias'], alias);
  // Models that could be pulled are none of this installation yet; agents ask for their names.
  await project.create({ alias: 'gpt-oss-20b', target: tinyChat });
  assert.deepEqual(await refusal({ alias: 'taken', target: tinyChat }), [409, 'alias_taken', 'alias']);
  assert.deepEqual(await refusal({ alias: 'x' }), [422, 'invalid_request', 'target']);
  assert.deepEqual(await refusal({ target: tinyChat }), [422, 'invalid_request', 'alias']);
  const target = (type: string, id: string) => ({ alias: 'x', target: { type, id } });
  assert.deepEqual(await refusal(target('alias', 'taken')), [400, 'invalid_request', 'target.type']);
  assert.deepEqual(await refusal(target('base_model', 'taken')), [404, 'model_not_found', 'target.id']);
  assert.deepEqual(await refusal(target('training_job', 'job_1')), [404, 'model_not_found', 'target.id']);
  assert.deepEqual(await refusal(target('base_model', 'qwen3-0.6b')), [409, 'state_conflict', 'target.id']);
  assert.deepEqual(await refusal({ alias: 'x', target: tinyEmbed }), [409, 'kind_mismatch', 'target']);
  const named = (more: object) => refusal({ alias: 'x', target: tinyChat, ...more });
  assert.deepEqual(await named({ visibility: 'open' }), [400, 'invalid_request', 'visibility']);
  assert.deepEqual(await named({ display_name: '' }), [400, 'invalid_request', 'display_name']);
  assert.deepEqual(await named({ display_name: 'a\nb' }), [400, 'invalid_request', 'display_name']);
  assert.deepEqual(await named({ activate: 'yes' }), [422, 'invalid_request', 'activate']);
  const list = pageIn((await ada.ask('GET', `${project.path}?source=alias`)).body);
  assert.deepEqual(
    list.data.map(({ alias }) => alias),
    ['gpt-oss-20b', 'taken'],
  );
});

test('twenty creations of one alias at once make one', async () => {
  const ada = await server.account();
  const project = await ada.project();
  const body = { alias: 'one', target: tinyChat };
  const answers = await Promise.all(Array.from({ length: 20 }, () => ada.ask('POST', project.path, body)));
  const statuses = answers.map(({ status }) => status).sort();
  assert.deepEqual(statuses, [201, ...Array.from({ length: 19 }, () => 409)]);
});

test('the management list pages through aliases and base models, each once, whatever the page size and filter', async () => {
  const ada = await server.account();
  const project = await ada.project({ kind: 'embedding' });
  for (const n of [1, 2, 3, 4, 5]) {
    await project.create({ alias: `alias-${n}`, target: tinyEmbed, display_name: n % 2 ? `Ödd ${n}` : `Even ${n}` });
  }
  const walk = async (filter: string, limit: number) => {
    const ids: string[] = [];
    let cursor: string | null = null;
    do {
      const { status, body } = await ada.ask(
        'GET',
        `${project.path}?limit=${limit}${filter}${cursor === null ? '' : `&cursor=${cursor}`}`,
      );
      assert.equal(status, 200, JSON.stringify(body));
      const page = pageIn(body);
      for (const row of page.data) assert.ok(hosted.Check(row), JSON.stringify([...hosted.Errors(row)]));
      ids.push(...page.data.map(({ alias }) => alias));
      cursor = page.next_cursor;
      if (cursor === null) assert.equal(page.total_count, ids.length);
    } while (cursor !== null);
    return ids;
  };
  const aliases = ['alias-5', 'alias-4', 'alias-3', 'alias-2', 'alias-1'];
  const bases = server.app.models.baseModels().map(({ id }) => id);
  for (const limit of [1, 2, 3, 100]) {
    const all = await walk('', limit);
    assert.deepEqual(all.slice(0, 5), aliases);
    assert.deepEqual(all.slice(5).toSorted(), bases.toSorted());
    assert.deepEqual(await walk('&source=alias', limit), aliases);
    assert.deepEqual((await walk('&source=base', limit)).toSorted(), bases.toSorted());
  }
  assert.deepEqual(await walk(`&q=${encodeURIComponent('öDD')}`, 2), ['alias-5', 'alias-3', 'alias-1']);
  assert.deepEqual(await walk('&q=alias-2', 2), ['alias-2']);
  assert.deepEqual(await walk('&state=inactive&source=alias', 2), aliases);
  assert.deepEqual(await walk('&state=active', 1), ['fanfold-tiny-embed', 'fanfold-tiny-chat']);
});

test('a cursor of the list is worth nothing under another filter, project or list', async () => {
  const ada = await server.account();
  const [project, other] = [await ada.project(), await ada.project()];
  const { id } = await project.create({ alias: 'one', target: tinyChat });
  const { next_cursor: cursor } = pageIn((await ada.ask('GET', `${project.path}?limit=1`)).body);
  assert.ok(cursor);
  for (const path of [
    ...[`${project.path}?source=base&cursor=${cursor}`, `${project.path}?q=a&cursor=${cursor}`],
    ...[`${project.path}?state=active&cursor=${cursor}`, `${other.path}?cursor=${cursor}`],
    ...[`${project.path}/${id}/revisions?cursor=${cursor}`, `${project.path}/${id}/shares?cursor=${cursor}`],
    `/api/v1/models?cursor=${cursor}`,
  ]) {
    assert.deepEqual(refusalOf(await ada.ask('GET', path)), [400, 'invalid_cursor', 'cursor'], path);
  }
  assert.equal((await ada.ask('GET', `${project.path}?limit=1&cursor=${cursor}`)).status, 200);
});

test('base models can be read and nothing else, under the name that calls use', async () => {
  const ada = await server.account();
  const project = await ada.project();
  const path = `${project.path}/fanfold-tiny-chat`;
  const { status, body } = await ada.ask('GET', path);
  assert.ok(hosted.Check(body));
  const { id, source, target, rate, owner } = hostedIn(body);
  assert.deepEqual([status, id, source, target], [200, 'fanfold-tiny-chat', 'base', tinyChat]);
  assert.deepEqual([rate.frozen_at, owner], [null, null]);
  for (const [method, sub, sent] of [
    ['PATCH', '', { display_name: 'Mine' }],
    ['PATCH', '/activate', undefined],
    ['PATCH', '/deactivate', undefined],
    ['POST', '/rollback', { revision: 1 }],
    ['GET', '/revisions', undefined],
    ['GET', '/shares', undefined],
    ['POST', '/shares', { account_slug: 'somebody' }],
    ['DELETE', '/shares/shr_1', undefined],
  ] as const)
    assert.deepEqual(refusalOf(await ada.ask(method, path + sub, sent)), [409, 'state_conflict', null], method + sub);
});

test('the compatible list has the active aliases, neither base models nor what does not serve', async () => {
  const ada = await server.account();
  const project = await ada.project();
  const on = await project.create({ alias: 'on', target: tinyChat, activate: true });
  await project.create({ alias: 'off', target: tinyChat });
  await untilState(ada, project, { id: on.id, state: 'active' });
  const { body } = await ada.ask('GET', `${project.compat}/models`);
  assert.deepEqual(body, {
    object: 'list',
    data: [{ id: 'on', object: 'model', created: Math.floor(Date.parse(on.created_at) / 1000), owned_by: ada.slug }],
  });
});

test('changes of names and visibility are told once; an archived project keeps its models and changes none', async () => {
  const ada = await server.account();
  const project = await ada.project();
  const { id } = await project.create({ alias: 'one', target: tinyChat });
  const change = (body: object) => ada.ask('PATCH', `${project.path}/${id}`, body);
  const changed = hostedIn((await change({ display_name: 'Renamed', visibility: 'public', nonsense: 1 })).body);
  assert.deepEqual([changed.display_name, changed.visibility], ['Renamed', 'public']);
  assert.equal(hostedIn((await change({ visibility: 'public' })).body).updated_at, changed.updated_at);
  const rows = await server.db.database.query<{ data: object }>(
    `select data from activity where account_id = $1 and type = 'model.updated'`,
    [ada.accountId],
  );
  assert.equal(rows.length, 1);
  const projectPath = project.path.replace('/hosted-models', '');
  assert.equal((await ada.ask('PATCH', projectPath, { archived: true })).status, 200);
  assert.equal((await ada.ask('GET', `${project.path}/${id}`)).status, 200);
  for (const [method, sub, sent] of [
    ['PATCH', '', { display_name: 'Again' }],
    ['PATCH', '/activate', undefined],
    ['POST', '/shares', { account_slug: 'somebody' }],
  ] as const)
    assert.deepEqual(refusalOf(await ada.ask(method, `${project.path}/${id}${sub}`, sent)), [
      409,
      'state_conflict',
      null,
    ]);
});

test('revisions are paged, newest first, each once', async () => {
  const ada = await server.account();
  const project = await ada.project();
  const { id } = await project.create({ alias: 'one', target: tinyChat });
  const { status, body } = await ada.ask('GET', `${project.path}/${id}/revisions`);
  assert.equal(status, 200);
  const { data, ...rest } = pageIn(body);
  assert.deepEqual(rest, { next_cursor: null, total_count: 1 });
  assert.ok(revision.Check(data[0]), JSON.stringify(data));
  for (const sent of [{ revision: 0 }, { revision: 2 }])
    assert.deepEqual(refusalOf(await ada.ask('POST', `${project.path}/${id}/rollback`, sent)), [
      ...[400, 'invalid_request', 'revision'],
    ]);
  const missing = await ada.ask('POST', `${project.path}/${id}/rollback`, {});
  assert.deepEqual(refusalOf(missing), [422, 'invalid_request', 'revision']);
});

test('a creation that is sent again under its Idempotency-Key answers the same and makes nothing', async () => {
  const ada = await server.account();
  const project = await ada.project();
  const send = async (path: string, body: object) => {
    const response = await fetch(server.app.origin + path, {
      method: 'POST',
      headers: { ...bearer(ada.key), 'content-type': 'application/json', 'idempotency-key': `once-${path}` },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(180_000),
    });
    return {
      status: response.status,
      replayed: response.headers.get('idempotent-replay'),
      text: await response.text(),
    };
  };
  const { slug: account_slug } = await server.account();
  const makeAlias = () => send(project.path, { alias: 'once', target: tinyChat, activate: true });
  const first = await makeAlias();
  assert.equal(first.status, 201);
  assert.deepEqual(await makeAlias(), { ...first, replayed: 'true' });
  const { id } = hostedIn(JSON.parse(first.text));
  // Enqueued in the transaction of the answer, the load check runs all the same.
  await untilState(ada, project, { id, state: 'active' });
  const shareIt = () => send(`${project.path}/${id}/shares`, { account_slug });
  const shared = await shareIt();
  assert.equal(shared.status, 201);
  assert.deepEqual(await shareIt(), { ...shared, replayed: 'true' });
});
