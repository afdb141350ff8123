import assert from 'node:assert/strict';
import { dirname } from 'node:path';
import { test } from 'node:test';
import { readSources } from '#test/source-tree.ts';

/** Calls of models keep their answers by other means: they are charged, not only written. */
const isOfCalls = (path: string) => path.startsWith('src/inference/') || path.startsWith('src/chats/messages.');

test('every route whose contract takes an Idempotency-Key makes its change in the transaction of the key', () => {
  const found = new Map<string, { promised: number; kept: number }>();
  for (const { path, text } of readSources(['src'])) {
    const folder = dirname(path);
    if (isOfCalls(path) || !/\.(contract|routes)\.ts$/.test(path)) continue;
    const { promised, kept } = found.get(folder) ?? { promised: 0, kept: 0 };
    found.set(folder, {
      promised: promised + text.split('idempotent: true').length - 1,
      kept: kept + text.split('once(request, ').length - 1,
    });
  }
  const broken = [...found].filter(([, { promised, kept }]) => promised !== kept);
  assert.deepEqual(broken, []);
  assert.ok([...found.values()].some(({ promised }) => promised > 0));
});
