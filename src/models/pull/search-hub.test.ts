import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startHubServer } from '#test/hub-server.ts';
import { modelErrorWith } from './model-error.fixture.ts';
import { searchHub } from './search-hub.ts';

const path =
  '/api/models?search=qwen+3&filter=gguf&sort=downloads&direction=-1&limit=2&expand=downloads&expand=likes&expand=lastModified&expand=gated&expand=tags';

test('a search asks the hub for GGUF repositories and says what each is', async (t) => {
  const hub = await startHubServer();
  t.after(() => hub.close());
  const access = { endpoint: hub.url, signal: new AbortController().signal, retryDelaysMs: [] };
  const found = { _id: '1', downloads: 900, likes: 5, lastModified: '2026-05-06T07:08:09.000Z' };
  hub.answers.set(path, [
    { ...found, id: 'org/a-GGUF', gated: false, tags: ['gguf', 'license:apache-2.0'] },
    { ...found, id: 'org/b-GGUF', gated: 'manual', tags: ['gguf'] },
  ]);
  const common = { downloads: 900, likes: 5, updated: '2026-05-06' };
  assert.deepEqual(await searchHub(access, { word: 'qwen 3', limit: 2 }), [
    { repo: 'org/a-GGUF', ...common, license: 'apache-2.0', isGated: false },
    { repo: 'org/b-GGUF', ...common, license: null, isGated: true },
  ]);
  hub.answers.set(path, { error: 'no' });
  await assert.rejects(searchHub(access, { word: 'qwen 3', limit: 2 }), modelErrorWith(/does not answer a search as/));
  await assert.rejects(searchHub(access, { word: 'other', limit: 2 }), modelErrorWith(/answered 401 to a search/));
  await hub.close();
  await assert.rejects(searchHub(access, { word: 'qwen 3', limit: 2 }), modelErrorWith(/cannot be reached/));
});
