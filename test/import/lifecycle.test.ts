import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { bearer } from '#test/accounts.ts';
import type { Refusal, WireImport } from './import-client.ts';
import { createImportWorld } from './import-world.ts';
import { fileOf, pairs } from './numbered-rows.ts';

const world = await createImportWorld();
const { text } = world;
after(world.stop);

const examplesOf = (id: string | null) =>
  text.demand<{ data: { split: string }[]; total_count: number }>('GET', `datasets/${id}/examples?limit=100`);

describe('datasets', () => {
  test('an import into a dataset leaves out what is there, and makes the next version', async () => {
    const first = await text.confirm((await text.upload('a.jsonl', fileOf(pairs(10)))).id);
    const dataset = first.dataset_id ?? '';
    const more = await text.upload('b.jsonl', fileOf(pairs(10, 5)), { dataset });
    assert.equal(more.counts.duplicates, 5);
    const second = await text.confirm(more.id);
    assert.deepEqual([second.result?.examples_added, second.result?.rows_skipped], [5, 5]);
    assert.notEqual(second.result?.version_id, first.result?.version_id);
    assert.equal((await examplesOf(dataset)).total_count, 15);
    const nothing = await text.upload('c.jsonl', fileOf(pairs(3)), { dataset });
    const { preview_token } = await text.preview(nothing.id);
    const refused = await text.ask<Refusal>('POST', `imports/${nothing.id}/confirm`, { preview_token });
    assert.deepEqual([refused.status, refused.body.error.details?.['reason']], [409, 'nothing_to_import']);
  });

  test('the same file with the same seed is divided in the same way, whatever the order of its rows', async () => {
    const splitsOf = async (lines: string[]) => {
      const done = await text.confirm((await text.upload('a.jsonl', fileOf(lines))).id, {
        options: { test_ratio: 0.3, split_seed: 7 },
      });
      const version = await text.demand<{ sha256: string }>('GET', `dataset-versions/${done.result?.version_id}`);
      return version.sha256;
    };
    const lines = pairs(60);
    assert.equal(await splitsOf(lines), await splitsOf(lines.toReversed()));
  });

  test('pairs and triplets go into embedding projects', async () => {
    const { embedding } = world;
    const csv = Buffer.from(
      'anchor,positive,negative\nlamp,"a bright, small lamp",a chair\nchair,a wooden chair,a lamp\n',
    );
    const ready = await embedding.upload('a.csv.gz', gzipSync(csv));
    assert.equal((await embedding.profile(ready.id)).detected_shape, 'triplet');
    const done = await embedding.confirm(ready.id);
    const { data } = await embedding.demand<{ data: { embedding: unknown; text: unknown }[] }>(
      'GET',
      `datasets/${done.dataset_id}/examples`,
    );
    assert.equal(data.length, 2);
    assert.ok(data.every((example) => example.text === null && example.embedding !== null));
  });
});

describe('ends', () => {
  const states = async (id: string) => (await text.read(id)).state;

  test('an import can be canceled before it is written, and stays so', async () => {
    const { id } = await text.create({ name: 'a.jsonl', size: 10 });
    for (let times = 0; times < 2; times++)
      assert.equal((await text.demand<WireImport>('POST', `imports/${id}/cancel`)).state, 'canceled');
    assert.equal((await text.put(id, Buffer.alloc(10))).status, 409);
    const ready = await text.upload('a.jsonl', fileOf(pairs(3)));
    await text.demand('POST', `imports/${ready.id}/cancel`);
    assert.equal((await text.ask('POST', `imports/${ready.id}/preview`, {})).status, 409);
    const activity = await fetch(`${world.app.origin}/api/v1/activity?type=import.canceled`, {
      headers: bearer(world.key),
    });
    const { data } = JSON.parse(await activity.text());
    assert.ok(data.some(({ subject }: { subject: { id: string } }) => subject.id === ready.id));
  });

  test('a file that cannot be read fails with what is the matter, and makes nothing', async () => {
    const failed = await text.upload('report.csv', Buffer.from('%PDF-1.7 this is no table'));
    assert.deepEqual([failed.state, failed.error?.code], ['failed', 'wrong_format']);
    assert.match(failed.error?.message ?? '', /PDF/);
    assert.equal((await text.ask('POST', `imports/${failed.id}/cancel`)).status, 409);
  });

  test('another way to read a file is taken when it is asked for', async () => {
    const latin = Buffer.from('prompt;completion\nWas hei\xdft "gr\xfcn"?;green\n', 'latin1');
    const { id } = await text.upload('a.csv', latin);
    await text.demand('POST', `imports/${id}/profile`, { format: 'csv', encoding: 'windows-1252', delimiter: ';' });
    await text.until(id, 'ready');
    const profile = await text.profile(id);
    assert.deepEqual([profile.encoding, profile.delimiter, profile.valid], ['windows-1252', ';', 1]);
    assert.equal(profile.columns[0]?.samples[0], 'Was heißt "grün"?');
    await text.demand('POST', `imports/${id}/profile`, { encoding: 'iso-8859-2' });
    const early = await text.ask<{ encoding?: string }>('GET', `imports/${id}/profile`);
    assert.ok(early.status === 409 || early.body.encoding === 'iso-8859-2', `it was ${early.body.encoding}`);
    await text.until(id, 'ready');
    for (const wrong of [{ encoding: 'klingon' }, { delimiter: '"' }, { delimiter: '\n' }, { delimiter: '\r' }]) {
      const { status, body } = await text.ask<Refusal>('POST', `imports/${id}/profile`, wrong);
      assert.deepEqual([status, body.error.param], [400, Object.keys(wrong)[0]]);
    }
  });

  test('requests that make no sense are refused by their field', async () => {
    const body = { file_name: 'a.jsonl', size_bytes: 10, dataset_name: 'A' };
    const cases: [object, number, string][] = [
      [{ ...body, dataset_id: `ds_${'0'.repeat(26)}` }, 400, 'dataset_id'],
      [{ file_name: 'a', size_bytes: 10 }, 400, 'dataset_id'],
      [{ ...body, size_bytes: 0 }, 400, 'size_bytes'],
      [{ ...body, size_bytes: 1e14 }, 400, 'size_bytes'],
      [{ ...body, size_bytes: 'ten' }, 422, 'size_bytes'],
      [{ ...body, file_name: '' }, 400, 'file_name'],
      [{ ...body, format: 'ods' }, 400, 'format'],
      [{ ...body, sha256: 'abc' }, 400, 'sha256'],
    ];
    for (const [sent, status, param] of cases) {
      const answer = await text.ask<Refusal>('POST', 'imports', sent);
      assert.deepEqual([answer.status, answer.body.error.param], [status, param], JSON.stringify(sent));
    }
    const named = await text.create({ name: '../../etc/passwd', size: 10 });
    assert.equal(((await text.read(named.id)) as unknown as { file: { name: string } }).file.name, 'passwd');
  });

  test('imports that nobody goes on with expire, and files go a day after the end', async () => {
    const { database } = world.db;
    const waiting = await text.create({ name: 'a.jsonl', size: 10 });
    const ready = await text.upload('a.jsonl', fileOf(pairs(3)));
    const done = await text.confirm((await text.upload('a.jsonl', fileOf(pairs(3, 900)))).id);
    await database.query(`update imports set expires_at = now() where id = any($1::text[])`, [[waiting.id, ready.id]]);
    await database.query(`update imports set finished_at = now() - interval '25 hours' where id = $1`, [done.id]);
    await world.sweep();
    assert.deepEqual(
      [await states(waiting.id), await states(ready.id), await states(done.id)],
      ['expired', 'expired', 'completed'],
    );
    const parts = await database.query('select from import_parts where import_id = $1', [done.id]);
    assert.equal(parts.length, 0);
    const gone = await fetch(`${text.base}/imports/${done.id}/errors`, {
      headers: { ...bearer(world.key), accept: 'application/x-ndjson' },
    });
    assert.equal(gone.status, 404);
  });
});

test('a list of imports has pages, filters and cursors of its own', async () => {
  const page = await text.demand<{ data: WireImport[]; next_cursor: string; total_count: number }>(
    'GET',
    'imports?limit=2',
  );
  assert.equal(page.data.length, 2);
  const next = await text.demand<typeof page>('GET', `imports?limit=2&cursor=${page.next_cursor}`);
  assert.ok(!next.data.some(({ id }) => page.data.some((other) => other.id === id)));
  assert.equal((await text.ask('GET', `imports?state=completed&cursor=${page.next_cursor}`)).status, 400);
  const completed = await text.demand<typeof page>('GET', 'imports?state=completed');
  assert.ok(completed.data.length > 0 && completed.data.every(({ state }) => state === 'completed'));
});

test('a project has as many open imports as it may have, also when they are made at the same time', async () => {
  const ask = () => world.embedding.ask('POST', 'imports', { file_name: 'a.jsonl', size_bytes: 1, dataset_name: 'A' });
  const made = await Promise.all(Array.from({ length: 110 }, ask));
  assert.deepEqual(
    [201, 409].map((wanted) => made.filter(({ status }) => status === wanted).length),
    [100, 10],
  );
});
