import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { bearer } from '#test/accounts.ts';
import type { ImportClient, Refusal, WireImport, WirePreview } from './import-client.ts';
import { createImportWorld, type ImportWorld } from './import-world.ts';

let world: ImportWorld;
let text: ImportClient;
before(async () => {
  world = await createImportWorld();
  text = world.text;
});
after(() => world?.stop());

const pairs = (count: number, from = 0) =>
  Array.from({ length: count }, (_, n) =>
    JSON.stringify({ prompt: `What comes after ${from + n}?`, completion: `${from + n + 1}` }),
  );
const fileOf = (lines: readonly string[]) => Buffer.from(lines.join('\n'));
const examplesOf = (id: string | null) =>
  text.demand<{ data: { split: string }[]; total_count: number }>('GET', `datasets/${id}/examples?limit=100`);

describe('preview and confirmation', () => {
  test('a confirmation needs the latest preview, and a second one changes nothing', async () => {
    const { id } = await text.upload('a.jsonl', fileOf(pairs(20)));
    const first = await text.preview(id);
    const second = await text.preview(id, { options: { test_ratio: 0 } });
    assert.notEqual(first.preview_token, second.preview_token);
    const old = await text.ask<Refusal>('POST', `imports/${id}/confirm`, { preview_token: first.preview_token });
    assert.deepEqual([old.status, old.body.error.details?.['reason']], [409, 'preview_outdated']);
    const { preview_token } = second;
    await text.demand('POST', `imports/${id}/confirm`, { preview_token });
    const done = await text.until(id, 'completed');
    assert.equal(
      (await text.ask<WireImport>('POST', `imports/${id}/confirm`, { preview_token })).body.state,
      'completed',
    );
    const { data, total_count } = await examplesOf(done.dataset_id);
    assert.deepEqual([total_count, data.every(({ split }) => split === 'train')], [20, true]);
  });

  test('another mapping counts every row anew, and the preview shows what becomes of rows', async () => {
    const rows = pairs(30).map((row, n) =>
      JSON.stringify({ ...JSON.parse(row), hint: n % 3 === 0 ? '' : `Hint ${n}` }),
    );
    const { id } = await text.upload('a.jsonl', fileOf(rows));
    const suggested = await text.preview(id, { limit: 2 });
    assert.deepEqual([suggested.will_import, suggested.will_skip, suggested.rows.length], [30, 0, 2]);
    assert.deepEqual(suggested.rows[0]?.example?.text, {
      messages: [
        { role: 'user', content: 'What comes after 0?' },
        { role: 'assistant', content: '1' },
      ],
      tools: null,
    });
    const other = await text.preview(id, {
      mapping: { user: 'prompt', assistant: 'hint' },
      options: { on_invalid: 'skip' },
    });
    assert.deepEqual([other.counts.valid, other.counts.invalid, other.will_import, other.will_skip], [20, 10, 20, 10]);
    assert.deepEqual(
      other.rows[0]?.issues.map(({ code, pointer, line }) => `${line} ${code} ${pointer}`),
      ['1 empty_text /hint'],
    );
    const unknown = await text.ask<Refusal>('POST', `imports/${id}/preview`, {
      mapping: { user: 'prompt', assistant: 'nothing' },
    });
    assert.deepEqual([unknown.status, unknown.body.error.param], [400, 'mapping.assistant']);
  });

  test('of previews under different mappings at once, one that cannot be shown says why and what to do', async () => {
    const rows = pairs(30).map((row, n) =>
      JSON.stringify({ ...JSON.parse(row), hint: `Hint ${n}`, note: `Note ${n}` }),
    );
    const { id } = await text.upload('a.jsonl', fileOf(rows));
    const answers = await Promise.all(
      ['hint', 'note', 'hint', 'note'].map((assistant) =>
        text.ask<Partial<Refusal>>('POST', `imports/${id}/preview`, { mapping: { user: 'prompt', assistant } }),
      ),
    );
    assert.ok(answers.some(({ status }) => status === 200));
    for (const { status, body } of answers) {
      if (status === 200) continue;
      assert.equal(status, 409);
      assert.match(
        body.error?.message ?? '',
        /^The file (is being read|has been read under another mapping since)\. Ask again\b/,
      );
      assert.match(String(body.error?.details?.['reason']), /^(profiling|preview_outdated)$/);
    }
  });

  test('a preview that another one overtakes never shows, nor lets confirm, what was counted under the other mapping', async () => {
    const rows = pairs(30).map((row, n) =>
      JSON.stringify({ ...JSON.parse(row), hint: n % 3 === 0 ? '' : `Hint ${n}`, note: `Note ${n}` }),
    );
    const invalid = { hint: 10, note: 0 };
    const preview = (id: string, assistant: keyof typeof invalid) =>
      text.ask<Partial<WirePreview & Refusal>>('POST', `imports/${id}/preview`, {
        mapping: { user: 'prompt', assistant },
      });
    const { id } = await text.upload('a.jsonl', fileOf(rows));
    for (let round = 0; round < 5; round += 1) {
      await text.preview(id);
      const first = preview(id, 'hint');
      // As soon as it was read for the first one, which looks less often.
      const isRead = async () =>
        (await text.demand<WireImport>('GET', `imports/${id}`)).mapping?.['assistant'] === 'hint';
      for (const deadline = performance.now() + 60_000; !(await isRead()); ) assert.ok(performance.now() < deadline);
      const second = preview(id, 'note');
      for (const [mapping, { status, body }] of [
        ['hint', await first],
        ['note', await second],
      ] as const)
        if (status === 200) assert.equal(body.counts?.invalid, invalid[mapping], `${mapping} in round ${round}`);
        else assert.match(String(body.error?.details?.['reason']), /^(profiling|preview_outdated)$/);
    }
  });

  test('with rows that are not valid nothing is imported, unless they are to be skipped', async () => {
    const { id } = await text.upload(
      'a.jsonl',
      fileOf([...pairs(5), '{"prompt": "no answer"}', 'nonsense', pairs(1)[0] ?? '']),
    );
    const issues = (await text.issues(id)).map(({ line, code, pointer }) => `${line} ${code} ${pointer}`);
    assert.deepEqual(issues, ['6 missing_field /completion', '7 bad_json ', '8 duplicate ']);
    const strict = await text.preview(id);
    const refused = await text.ask<Refusal>('POST', `imports/${id}/confirm`, { preview_token: strict.preview_token });
    assert.deepEqual([refused.status, refused.body.error.details?.['reason']], [409, 'invalid_rows']);
    const done = await text.confirm(id, { options: { on_invalid: 'skip' } });
    assert.deepEqual([done.result?.examples_added, done.result?.rows_skipped], [5, 3]);
  });

  test('the preview says of a row what the list of issues says, also of what cannot be stored or is too long', async () => {
    const rows = [
      ...['{"prompt": "a\\u0000b", "completion": "c"}', '{"prompt": "\\ud800", "completion": "c"}', 'nonsense'],
      ...[JSON.stringify({ prompt: 'long', completion: 'x'.repeat(20_000) }), ...pairs(1), ...pairs(1)],
    ];
    const { id } = await text.upload('a.jsonl', fileOf(rows));
    const shown = await text.preview(id, { options: { on_invalid: 'skip' } });
    const listed = await text.issues(id);
    assert.deepEqual(
      listed.map(({ line, code }) => `${line} ${code}`),
      ['1 bad_encoding', '2 bad_encoding', '3 bad_json', '4 over_token_limit', '6 duplicate'],
    );
    assert.deepEqual(
      shown.rows.flatMap(({ issues }) => issues),
      listed,
    );
    assert.deepEqual(
      shown.rows.map(({ example }) => example !== null),
      [false, false, false, true, true, true],
    );
  });

  test('the file of issues has them all, as JSON lines', async () => {
    const { id } = await text.upload(
      'a.jsonl',
      fileOf([...pairs(2), ...Array.from({ length: 300 }, (_, n) => `broken ${n}`)]),
    );
    const response = await fetch(`${text.base}/imports/${id}/errors`, {
      headers: { ...bearer(world.key), accept: 'application/x-ndjson' },
    });
    assert.equal(response.headers.get('content-type'), 'application/x-ndjson');
    const lines = (await response.text())
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual([lines.length, lines[0].line, lines[299].line, lines[299].excerpt], [300, 3, 302, 'broken 299']);
    const first = await text.demand<{ data: { line: number }[]; next_cursor: string; total_count: number }>(
      'GET',
      `imports/${id}/errors?limit=100&code=bad_json`,
    );
    const next = await text.demand<typeof first>(
      'GET',
      `imports/${id}/errors?limit=100&code=bad_json&cursor=${first.next_cursor}`,
    );
    assert.deepEqual([first.total_count, next.data[0]?.line], [300, 103]);
    assert.equal((await text.ask('GET', `imports/${id}/errors?cursor=${first.next_cursor}`)).status, 400);
  });
});

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
      [{ ...body, format: 'xlsx' }, 400, 'format'],
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
