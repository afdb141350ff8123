import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { seedAccount } from '#test/accounts.ts';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';

let db: TestDatabase;

before(async () => {
  db = await createTestDatabase();
});

after(() => db?.drop());

const run = promisify(execFile);

/** Runs the command line; resolves to what it prints, rejects when it fails. */
function fanfold(...args: string[]): Promise<{ stdout: string; stderr: string }> {
  const main = join(import.meta.dirname, '../main.ts');
  const env = { ...process.env, DATABASE_URL: db.url, FANFOLD_PUBLIC_URL: 'https://models.example' };
  return run(process.execPath, [main, ...args], { env, timeout: 180_000 });
}

test('an operator makes projects for an account and lists them, for people and as JSON for programs', async () => {
  const { slug } = await seedAccount(db.database);
  const made = await fanfold('projects', 'create', 'lamps', '-a', slug, '--kind', 'embedding', '--name', 'Lamps!');
  assert.equal(made.stdout, `https://models.example/api/projects/${slug}/lamps/openai/v1\n`);
  const { stdout } = await fanfold('projects', 'list', '-a', slug);
  const [header, row, ...rest] = stdout.trimEnd().split('\n');
  assert.match(header ?? '', /^PROJECT +KIND +VISIBILITY/);
  assert.match(row ?? '', new RegExp(`^${slug}/lamps +embedding +private +no +\\S+ +Lamps!$`));
  assert.deepEqual(rest, []);
  const [{ created, ...fields }] = JSON.parse((await fanfold('projects', 'list', '-a', slug, '--json')).stdout);
  assert.equal(new Date(created).toISOString(), created);
  const project = `${slug}/lamps`;
  assert.deepEqual(fields, { project, kind: 'embedding', visibility: 'private', auto_save: false, name: 'Lamps!' });
});

test('a project that cannot be is refused in one line', async () => {
  const { slug } = await seedAccount(db.database);
  await assert.rejects(fanfold('projects', 'create', '-a', slug, 'Bad Slug'), (error: Error & { stderr?: string }) => {
    assert.match(error.stderr ?? '', /^slug: expected [^\n]+\n$/);
    return true;
  });
});
