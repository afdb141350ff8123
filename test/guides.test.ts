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
