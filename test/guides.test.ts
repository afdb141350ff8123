import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { type Program, startProgram } from '#test/program.ts';

const guides = path.join(import.meta.dirname, '../docs/guides');
let pg: TestDatabase;
let program: Program;
let folder: string;

before(async () => {
  pg = await createTestDatabase();
  program = await startProgram({ databaseUrl: pg.url });
  // The commands write beside the samples.
  folder = await mkdtemp(path.join(tmpdir(), 'fanfold-guides-'));
  await cp(path.join(guides, 'samples'), path.join(folder, 'docs/guides/samples'), { recursive: true });
});

after(async () => {
  await program?.stop();
  await pg?.drop();
  await rm(folder, { recursive: true, force: true });
});

type Outcome = { code: number; lines: string[]; errors: string };

/** Runs all commands of a guide in one shell, as a reader does who copies them. */
async function follow(guide: string): Promise<Outcome> {
  const blocks = [...guide.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, commands]) => commands);
  const shell = spawn('bash', ['-euo', 'pipefail'], {
    cwd: folder,
    env: { ...process.env, SERVER: program.url, KEY: program.key ?? '' },
    timeout: 60_000,
  });
  shell.stdin.end(blocks.join('\n'));
  const [output, errors, [code]] = await Promise.all([text(shell.stdout), text(shell.stderr), once(shell, 'exit')]);
  return { code: Number(code), lines: output.split('\n'), errors };
}

test('whoever follows the guide from files to versions gets what it shows', async () => {
  const guide = await readFile(path.join(guides, 'from-files-to-versions.md'), 'utf8');
  const { code, lines, errors } = await follow(guide);
  assert.equal(code, 0, `${errors}\n${lines.slice(-5).join('\n')}`);
  const shown = [...guide.matchAll(/^ {4}(\{.*)$/gm)].map(([, line = '']) => line);
  assert.ok(shown.length >= 5);
  // Ids are other ones each time.
  const plain = (line: string) => line.replace(/"dsv_[^"]*"/, '"dsv_..."');
  for (const line of shown) assert.ok(lines.map(plain).includes(line), `${line}\nis not among\n${lines.join('\n')}`);
  assert.ok(lines.includes('the same'));
});
