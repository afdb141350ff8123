import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { get } from 'node:http';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import yauzl from 'yauzl';
import { bearer } from '#test/accounts.ts';
import { startApp, type TestApp } from '#test/app.ts';
import { fileDatabase } from '#test/file-database.ts';
import { seedTenant, type Tenant } from '#test/tenants.ts';
import { holdExport } from './exports.store.ts';

let app: TestApp;
after(() => app?.stop());
const database = fileDatabase({
  prepare: async (made) => {
    app = await startApp(made);
  },
});

/** What the tests look at. */
type Answer = { id?: string; data?: unknown[]; error?: { code: string } };
type Message = { split?: string; messages?: { content: string }[] };

async function send(owner: Tenant, method: string, path: string, body?: object) {
  const response = await fetch(`${app.origin}/api/v1${path}`, {
    method,
    headers: { ...bearer(owner.key), ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  // as: the assertions below look at what is there.
  return { status: response.status, json: (await response.json()) as Answer };
}

const download = (owner: Tenant) => fetch(`${app.origin}/api/v1/account/export`, { headers: bearer(owner.key) });

/** The files of an archive by name. */
async function unpack(bytes: Buffer): Promise<Map<string, string>> {
  // as: the overloads of yauzl hide what the promise gives.
  const open = promisify(yauzl.fromBuffer) as (from: Buffer, options: yauzl.Options) => Promise<yauzl.ZipFile>;
  const zip = await open(bytes, { lazyEntries: true });
  const files = new Map<string, string>();
  const ended = once(zip, 'end');
  zip.on('entry', (entry: yauzl.Entry) => {
    zip.openReadStream(entry, async (error, stream) => {
      assert.ifError(error);
      files.set(entry.fileName, await text(stream));
      zip.readEntry();
    });
  });
  zip.readEntry();
  await ended;
  return files;
}

async function exportOf(owner: Tenant): Promise<Map<string, string>> {
  const response = await download(owner);
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), 'application/zip');
  return unpack(Buffer.from(await response.arrayBuffer()));
}

const rowsOf = (files: Map<string, string>, name: string): Message[] =>
  (files.get(name) ?? assert.fail(`${name} is not in the archive.`))
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Message);

const tenant = () => seedTenant(database(), app.models);

test('the archive has what the account may read through the API, whole and in the same form', async () => {
  const owner = await tenant();
  const pp = `/projects/${owner.slug}/chat`;
  const { json: dataset } = await send(owner, 'POST', `${pp}/datasets`, { name: 'Answers' });
  // More than a page of the API's lists.
  const examples = Array.from({ length: 60 }, (_, n) => ({
    text: {
      messages: [
        { role: 'user', content: `Say ${n}` },
        { role: 'assistant', content: `It is ${n}.` },
      ],
    },
  }));
  assert.equal((await send(owner, 'POST', `${pp}/datasets/${dataset.id}/examples`, { examples })).status, 200);
  const { json: chat } = await send(owner, 'POST', `${pp}/chats`, { title: 'Hello', model: 'chat' });
  const files = await exportOf(owner);
  assert.deepEqual([...files.keys()].sort(), [
    'account.json',
    'activity.jsonl',
    'keys.jsonl',
    'ledger.jsonl',
    'projects/chat/chats.jsonl',
    `projects/chat/chats/${chat.id}.jsonl`,
    'projects/chat/datasets.jsonl',
    `projects/chat/datasets/${dataset.id}.jsonl`,
    'projects/chat/project.json',
    'projects/chat/saved-calls.jsonl',
    'projects/chat/training-jobs.jsonl',
    'projects/search/datasets.jsonl',
    'projects/search/project.json',
    'projects/search/training-jobs.jsonl',
  ]);
  for (const [name, path] of [
    ['ledger.jsonl', '/credits/usage'],
    ['activity.jsonl', '/activity'],
    ['projects/chat/chats.jsonl', `${pp}/chats`],
    ['projects/chat/datasets.jsonl', `${pp}/datasets`],
  ] as const)
    assert.deepEqual(rowsOf(files, name), (await send(owner, 'GET', `${path}?limit=100`)).json.data, name);
  assert.deepEqual(
    JSON.parse(files.get('projects/chat/project.json') ?? '').id,
    (await send(owner, 'GET', pp)).json.id,
  );
  // Reading the list is a use of the key.
  assert.match(files.get('keys.jsonl') ?? '', new RegExp(`"id":"${owner.keyId}"`));
  const lines = rowsOf(files, `projects/chat/datasets/${dataset.id}.jsonl`);
  assert.equal(new Set(lines.map(({ messages }) => messages?.[0]?.content)).size, 60);
  assert.ok(lines.every(({ split }) => split === 'train' || split === 'test'));
  assert.ok(![...files.values()].some((content) => content.includes(owner.key)), 'No secret is in it.');
});

test('an account has nothing of another one in its archive', async () => {
  const [owner, other] = [await tenant(), await tenant()];
  await send(other, 'POST', `/projects/${other.slug}/chat/datasets`, { name: 'Not yours' });
  await send(other, 'PATCH', `/projects/${other.slug}/chat`, { visibility: 'public' });
  const all = [...(await exportOf(owner)).values()].join('\n');
  for (const foreign of [other.slug, other.accountId, other.keyId, 'Not yours']) assert.ok(!all.includes(foreign));
});

test('one export of an account runs at a time, whatever server it is on, and the next one may begin after it', async () => {
  const owner = await tenant();
  assert.equal(await holdExport(database(), { accountId: owner.accountId, id: 'req_elsewhere' }), true);
  const refused = await send(owner, 'GET', '/account/export');
  assert.equal(refused.status, 409);
  assert.equal(refused.json.error?.code, 'in_use');
  // Its server has died.
  await database().query(`update account_exports set until = now() - interval '1 second' where account_id = $1`, [
    owner.accountId,
  ]);
  await exportOf(owner);
  await exportOf(owner);
});

test('an export that nobody reads waits, and ends when its client goes away', async () => {
  const owner = await tenant();
  const datasets = `/projects/${owner.slug}/chat/datasets`;
  const { json: dataset } = await send(owner, 'POST', datasets, { name: 'Large' });
  // More than the buffers on the way hold.
  for (let n = 0; n < 12; n++) {
    const examples = Array.from({ length: 50 }, () => ({
      text: {
        messages: [
          { role: 'user', content: 'What is it?' },
          { role: 'assistant', content: randomBytes(30_000).toString('hex') },
        ],
      },
    }));
    assert.equal((await send(owner, 'POST', `${datasets}/${dataset.id}/examples`, { examples })).status, 200);
  }
  const request = get(`${app.origin}/api/v1/account/export`, { headers: bearer(owner.key) });
  const [response] = await once(request, 'response');
  assert.equal(response.statusCode, 200);
  assert.equal((await send(owner, 'GET', '/account/export')).status, 409);
  request.destroy();
  const held = () => database().query('select from account_exports where account_id = $1', [owner.accountId]);
  while ((await held()).length > 0);
});
