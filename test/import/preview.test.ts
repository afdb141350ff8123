import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { bearer } from '#test/accounts.ts';
import type { Refusal, WireImport, WirePreview } from './import-client.ts';
import { createImportWorld } from './import-world.ts';
import { fileOf, pairs } from './numbered-rows.ts';

const world = await createImportWorld();
const { text } = world;
after(world.stop);

const examplesOf = (id: string | null) =>
  text.demand<{ data: { split: string }[]; total_count: number }>('GET', `datasets/${id}/examples?limit=100`);

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
  const rows = pairs(30).map((row, n) => JSON.stringify({ ...JSON.parse(row), hint: n % 3 === 0 ? '' : `Hint ${n}` }));
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
  const rows = pairs(30).map((row, n) => JSON.stringify({ ...JSON.parse(row), hint: `Hint ${n}`, note: `Note ${n}` }));
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
  assert.deepEqual(issues, ['6 missing_field /completion', '7 bad_json ', '8 duplicate_in_file ']);
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
    ['1 bad_encoding', '2 bad_encoding', '3 bad_json', '4 over_token_limit', '6 duplicate_in_file'],
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

test('what the model cannot learn is told in the preview and on the example, which is imported and in a version', async () => {
  const say = (role: string, content: string) => ({ role, content });
  const conversations = [
    [say('system', 'Be brief.'), say('assistant', 'Hello!')],
    [say('user', 'Hi'), say('assistant', 'Hello!'), say('assistant', 'Yes?')],
  ];
  const rows = conversations.map((messages) => JSON.stringify({ messages }));
  const { id } = await text.upload('a.jsonl', fileOf(rows));
  const listed = await text.issues(id);
  assert.deepEqual(
    listed.map(({ line, code }) => `${line} ${code}`),
    ['1 not_learnable'],
  );
  const shown = await text.preview(id);
  assert.deepEqual(
    shown.rows.flatMap(({ issues }) => issues),
    listed,
  );
  const { dataset_id: dataset } = await text.confirm(id);
  type Stored = { valid: boolean; text: { messages: unknown[] }; issues: { code: string }[] };
  const { data } = await text.demand<{ data: Stored[] }>('GET', `datasets/${dataset}/examples`);
  for (const { valid, text: content, issues } of data)
    assert.deepEqual(
      [valid, issues.map(({ code }) => code)],
      [true, content.messages.length === 2 ? ['not_learnable'] : []],
    );
  assert.equal(data.length, 2);
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
