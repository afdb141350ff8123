import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Compile } from 'typebox/compile';
import {
  type Caller,
  type HostedServer,
  type Project,
  refusalOf,
  startHostedServer,
  tinyChat,
  tinyEmbed,
  untilState,
} from './hosted-server.fixture.ts';
import { type RegistryWire, registrySchema } from './model-registry.schema.ts';

let server: HostedServer;
before(async () => {
  server = await startHostedServer();
});
after(() => server?.stop());

const row = Compile(registrySchema);

/** Every row under a filter, asked page by page. */
async function registry({ ask }: Caller, filter: Record<string, string> = {}, limit = 100): Promise<RegistryWire[]> {
  const rows: RegistryWire[] = [];
  let cursor: string | null = null;
  do {
    const query: string = new URLSearchParams({
      ...filter,
      limit: String(limit),
      ...(cursor ? { cursor } : {}),
    }).toString();
    const { status, body } = await ask('GET', `/api/v1/models?${query}`);
    assert.equal(status, 200, JSON.stringify(body));
    // as: a page, whose rows are checked.
    const page = body as { data: RegistryWire[]; next_cursor: string | null; total_count: number };
    for (const each of page.data) assert.ok(row.Check(each), JSON.stringify([...row.Errors(each)]));
    rows.push(...page.data);
    cursor = page.next_cursor;
    if (cursor === null) assert.equal(page.total_count, rows.length);
  } while (cursor !== null);
  return rows;
}

const refs = (rows: readonly RegistryWire[]) => rows.map(({ ref }) => ref);

async function active(caller: Caller, project: Project, body: object) {
  const made = await project.create({ target: tinyChat, ...body, activate: true });
  return untilState(caller, project, { id: made.id, state: 'active' });
}

/** Ada has models of every visibility in a private and in a public project; one of each is shared with Bob. */
async function scene() {
  const [ada, bob, eve] = [await server.account(), await server.account(), await server.account()];
  const [closed, open] = [await ada.project(), await ada.project({ visibility: 'public' })];
  for (const [project, name] of [
    [closed, 'closed'],
    [open, 'open'],
  ] as const) {
    await active(ada, project, { alias: `${name}-private` });
    const lent = await active(ada, project, { alias: `${name}-shared`, visibility: 'shared' });
    const free = await active(ada, project, { alias: `${name}-public`, visibility: 'public' });
    await project.create({ alias: `${name}-off`, target: tinyChat, visibility: 'public' });
    const share = (id: string) => ada.ask('POST', `${project.path}/${id}/shares`, { account_slug: bob.slug });
    assert.equal((await share(lent.id)).status, 201);
    if (project === open) assert.equal((await share(free.id)).status, 201);
  }
  return { ada, bob, eve, closed, open };
}

test('everybody sees his own models in every state, what is shared with him, what is public, and nothing else', async () => {
  const { ada, bob, eve, closed, open } = await scene();
  const seen = async (caller: Caller, filter: Record<string, string> = {}) =>
    (await registry(caller, { source: 'hosted', ...filter }))
      .filter(({ project }) => project?.slug === open.slug || project?.slug === closed.slug)
      .map(({ ref, access }) => `${ref} ${access}`);
  assert.deepEqual((await seen(ada, { access: 'owned' })).length, 8);
  assert.deepEqual(await seen(ada, { access: 'shared' }), []);
  assert.deepEqual(await seen(bob, { access: 'owned' }), []);
  assert.deepEqual(await seen(bob, { access: 'shared' }), [
    'open-public shared',
    'open-shared shared',
    'closed-shared shared',
  ]);
  assert.deepEqual(await seen(bob, { access: 'public' }), ['closed-public public']);
  assert.deepEqual(await seen(eve), ['open-public public']);
  assert.equal((await seen(bob)).length, 4);
});

test('what it says can be called can be called, with the line that it gives; what it says cannot, cannot', async () => {
  const { bob, eve } = await scene();
  for (const caller of [bob, eve])
    for (const { ref, callable, kind, call, not_callable_reason: reason } of await registry(caller)) {
      if (call.base_url === null) {
        assert.deepEqual([callable, reason !== null, call.example_curl], [false, true, null]);
        continue;
      }
      const path = kind === 'text' ? 'chat/completions' : 'embeddings';
      assert.ok(call.example_curl?.startsWith(`curl ${call.base_url}/${path} `), call.example_curl ?? '');
      const body = JSON.parse(/-d '(.*)'$/.exec(call.example_curl ?? '')?.[1] ?? '{}');
      assert.equal(body.model, ref);
      const compat = new URL(call.base_url).pathname;
      const { status } = await caller.ask('POST', `${compat}/${path}`, {
        ...body,
        ...(kind === 'text' && { max_tokens: 1 }),
      });
      assert.equal(status === 200, callable, `${ref}: ${status}`);
    }
});

test('base models are for everybody, and callable in a project of their kind that one owns', async () => {
  const ada = await server.account();
  const callable = async () =>
    (await registry(ada, { source: 'base' })).map(({ ref, callable, not_callable_reason }) => [
      ...[ref, callable, not_callable_reason],
    ]);
  const absent = ['qwen3-embedding-4b', 'qwen3-embedding-0.6b', 'qwen3-0.6b'].map((id) => [id, false, 'not_installed']);
  assert.deepEqual(await callable(), [
    ...absent,
    ['fanfold-tiny-embed', false, 'no_project'],
    ['fanfold-tiny-chat', false, 'no_project'],
  ]);
  const project = await ada.project({ kind: 'embedding' });
  assert.deepEqual((await callable()).slice(3), [
    ['fanfold-tiny-embed', true, null],
    ['fanfold-tiny-chat', false, 'no_project'],
  ]);
  const [embed] = await registry(ada, { source: 'base', kind: 'embedding', state: 'active' });
  assert.ok(embed?.call.base_url?.endsWith(project.compat));
  assert.deepEqual([embed?.dimensions, embed?.max_input_tokens, embed?.max_context_tokens], [128, 512, null]);
  assert.deepEqual(refs(await registry(ada, { access: 'public', q: 'TINY' })), [
    'fanfold-tiny-embed',
    'fanfold-tiny-chat',
  ]);
  assert.deepEqual(await registry(ada, { source: 'training_job' }), []);
});

test('every page size gives every row once, newest first, and each filter what it says', async () => {
  const { ada, closed, open } = await scene();
  const searching = await ada.project({ kind: 'embedding' });
  await searching.create({ alias: 'finder', target: tinyEmbed, display_name: 'Fündig' });
  const all = refs(await registry(ada));
  const bases = server.app.models.baseModels().length;
  // The public models of the other tests are there for everybody.
  const others = (await registry(await server.account(), { source: 'hosted' })).filter(
    ({ owner }) => owner?.id !== ada.accountId,
  );
  assert.equal(all.length, 9 + bases + others.length);
  for (const limit of [1, 2, 5]) assert.deepEqual(refs(await registry(ada, {}, limit)), all);
  const found = async (filter: Record<string, string>) => refs(await registry(ada, filter, 2));
  assert.deepEqual(await found({ q: 'FÜNDIG' }), ['finder']);
  assert.deepEqual(await found({ kind: 'embedding', source: 'hosted' }), ['finder']);
  assert.deepEqual(await found({ state: 'inactive', source: 'hosted' }), ['finder', 'open-off', 'closed-off']);
  const ofProject = ({ owner, slug }: Project) => found({ project: `${owner}/${slug}` });
  assert.deepEqual(await ofProject(open), ['open-off', 'open-public', 'open-shared', 'open-private']);
  assert.equal((await ofProject(closed)).length, 4);
  assert.deepEqual(await found({ project: 'nobody/nothing' }), []);
});

test('a cursor belongs to the account and to every filter', async () => {
  const { ada, bob, open } = await scene();
  const { body } = await ada.ask('GET', '/api/v1/models?limit=1');
  const cursor = String(body.next_cursor);
  const ask = (caller: Caller, filter: string) => caller.ask('GET', `/api/v1/models?limit=1&cursor=${cursor}${filter}`);
  assert.equal((await ask(ada, '')).status, 200);
  assert.equal((await ask(ada, '&access=all')).status, 200);
  for (const filter of [
    ...['&source=hosted', '&kind=text', '&state=active', '&q=a', '&access=owned'],
    `&project=${open.owner}/${open.slug}`,
  ])
    assert.deepEqual(refusalOf(await ask(ada, filter)), [400, 'invalid_cursor', 'cursor'], filter);
  assert.deepEqual(refusalOf(await ask(bob, '')), [400, 'invalid_cursor', 'cursor']);
  const wrong = await ada.ask('GET', '/api/v1/models?project=slug-alone');
  assert.deepEqual(refusalOf(wrong), [400, 'invalid_request', 'project']);
});
