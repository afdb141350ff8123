import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { followGuide } from '#test/guide.ts';
import { type Program, startProgram } from '#test/program.ts';

let pg: TestDatabase;
let program: Program;

before(async () => {
  pg = await createTestDatabase();
  program = await startProgram({ databaseUrl: pg.url });
});

after(async () => {
  await program?.stop();
  await pg?.drop();
});

// `loop-text.md` and `loop-search.md` are followed in test/training.
test('whoever follows the guide from files to versions gets what it shows', async () => {
  const environment = { SERVER: program.url, KEY: program.key ?? '' };
  const followed = await followGuide('from-files-to-versions.md', { environment, timeoutMs: 300_000 });
  const { code, lines, errors, missing, shown } = followed;
  assert.equal(code, 0, `${errors}\n${lines.slice(-5).join('\n')}`);
  assert.ok(shown >= 5);
  assert.deepEqual(missing, [], lines.join('\n'));
  assert.ok(lines.includes('the same'));
});

test('whoever follows the guide to take data along has all examples, searches and conversations of the account, archived ones, too', async () => {
  const native = `${program.url}/api/v1/projects/local`;
  const headers = { authorization: `Bearer ${program.key}`, 'content-type': 'application/json' };
  const send = (method: string, path: string, body: object) =>
    fetch(native + path, { method, headers, body: JSON.stringify(body) });
  const ask = async (method: string, path: string, body: object): Promise<string> => {
    const response = await send(method, path, body);
    assert.ok(response.ok, `${path}: ${response.status}`);
    // as: every record asked for here has an id.
    return ((await response.json()) as { id: string }).id;
  };
  const answers = await ask('POST', '/chat/datasets', { name: 'Answers' });
  const example = (n: number) => ({
    text: {
      messages: [
        { role: 'user', content: `What is ${n}?` },
        { role: 'assistant', content: 'A number.' },
      ],
    },
  });
  const examples = Array.from({ length: 120 }, (_, n) => example(n));
  await ask('POST', `/chat/datasets/${answers}/examples`, { examples: examples.slice(0, 100) });
  await ask('POST', `/chat/datasets/${answers}/examples`, { examples: examples.slice(100) });
  const pairs = await ask('POST', '/search/datasets', { name: 'Pairs' });
  const pair = { embedding: { query: 'red', positives: [{ text: 'a colour' }] } };
  await ask('POST', `/search/datasets/${pairs}/examples`, { examples: [pair] });
  const event = { query: 'red', model: 'search', results: [{ rank: 1, text: 'a colour' }] };
  await ask('POST', `/search/datasets/${pairs}/retrieval-events`, event);
  await ask('PATCH', `/search/datasets/${pairs}`, { archived: true });
  const chat = await ask('POST', '/chat/chats', { model: 'chat' });
  // Both messages are kept whether or not a busy machine comes to an answer.
  await (await send('POST', `/chat/chats/${chat}/messages`, { content: 'Hello!', stream: false })).text();

  const environment = { SERVER: program.url, KEY: program.key ?? '' };
  const counting = 'cd export && find projects -type f -exec wc -l {} +';
  const { code, lines, errors } = await followGuide('your-data.md', { environment, timeoutMs: 300_000, counting });
  assert.equal(code, 0, errors);
  const counts = new Map(lines.map((line) => line.trim().split(' ')).map(([count, file]) => [file, Number(count)]));
  assert.equal(counts.get(`projects/chat/datasets/${answers}.jsonl`), 120, lines.join('\n'));
  assert.equal(counts.get(`projects/search/datasets/${pairs}.jsonl`), 1, lines.join('\n'));
  assert.equal(counts.get(`projects/search/search-feedback/${pairs}.jsonl`), 1, lines.join('\n'));
  assert.equal(counts.get(`projects/chat/chats/${chat}.jsonl`), 2, lines.join('\n'));
});
