import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { contentHash } from '../../content/check-example.ts';
import type { StorableExample } from '../../examples/new-examples.ts';
import { lineOf } from '../../versions/version-content.ts';
import { VersionDigest } from './version-digest.ts';

let folder = '';
before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'fanfold-digest-'));
});
after(() => rm(folder, { recursive: true, force: true }));

/** Every third content comes twice, with both splits. */
const examples = Array.from({ length: 900 }, (_, n): StorableExample => {
  const json = JSON.stringify({ n: n % 600, text: 'é'.repeat((n % 600) * 10) });
  const hash = contentHash(json);
  // Few parts, so that each is too large to wait in memory.
  hash[0] = n % 3;
  return {
    origin: 'import',
    originId: null,
    split: n < 600 ? 'train' : 'test',
    json,
    bytes: Buffer.byteLength(json),
    hash,
    tokens: n % 600,
    valid: n !== 7,
    issues: [],
  };
});

test('the digest of a version is that of its lines in canonical order, whatever the order of the file', async () => {
  const lines = examples
    .filter(({ valid }) => valid)
    .toSorted((a, b) => Buffer.compare(a.hash, b.hash) || (a.split < b.split ? -1 : 1))
    .map(lineOf)
    .join('');
  for (const inOrder of [examples, examples.toReversed()]) {
    const digest = await VersionDigest.create(folder);
    for (let from = 0; from < inOrder.length; from += 100) await digest.add(inOrder.slice(from, from + 100));
    const { sha256, bytes, trainCount, testCount, tokenStats } = await digest.summary();
    await digest.close();
    assert.equal(sha256, createHash('sha256').update(lines).digest('hex'));
    assert.equal(bytes, BigInt(Buffer.byteLength(lines)));
    assert.deepEqual([trainCount, testCount, tokenStats.max], [599, 300, 599]);
  }
  assert.deepEqual(await readdir(folder), []);
});
