import assert from 'node:assert/strict';
import { chmod, lstat, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { startProgram } from '#test/program.ts';

/** What others than the owner may do something with, by its path below the folder. */
async function openIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true });
  const open: string[] = [];
  for (const name of entries) {
    // PostgreSQL makes and removes files meanwhile.
    const found = await lstat(join(folder, name)).catch(() => null);
    if (found && (found.isFile() || found.isDirectory()) && (found.mode & 0o077) !== 0)
      open.push(`${name} ${(found.mode & 0o777).toString(8)}`);
  }
  return open;
}

test('what the program makes in a data folder that others may enter is its own, whatever the umask', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'fanfold-modes-'));
  t.after(() => rm(dataDir, { recursive: true, force: true, maxRetries: 5 }));
  await chmod(dataDir, 0o755);
  await mkdir(join(dataDir, 'objects'));
  await chmod(join(dataDir, 'objects'), 0o755);
  const usual = process.umask(0);
  t.after(() => process.umask(usual));
  const program = await startProgram({ dataDir });
  process.umask(usual);
  t.after(() => program.stop());

  const headers = { authorization: `Bearer ${program.key}`, 'content-type': 'application/json' };
  const imports = `${program.url}/api/v1/projects/local/chat/imports`;
  const content = '{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]}\n';
  const size = Buffer.byteLength(content);
  const body = JSON.stringify({ dataset_name: 'D', file_name: 'd.jsonl', size_bytes: size });
  const announced = await fetch(imports, { method: 'POST', headers, body });
  const id = JSON.parse(await announced.text()).import.id;
  const sent = await fetch(`${imports}/${id}/content`, {
    method: 'PUT',
    headers: { authorization: headers.authorization },
    body: content,
  });
  assert.equal(sent.status, 200, await sent.text());

  assert.ok((await readdir(join(dataDir, 'objects'), { recursive: true })).length > 2);
  assert.deepEqual(await openIn(dataDir), []);
});

test('the folder itself, and what somebody else has put there, stay as they are', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'fanfold-modes-'));
  t.after(() => rm(dataDir, { recursive: true, force: true, maxRetries: 5 }));
  await chmod(dataDir, 0o755);
  await writeFile(join(dataDir, 'notes'), '');
  await chmod(join(dataDir, 'notes'), 0o644);
  const program = await startProgram({ dataDir });
  t.after(() => program.stop());
  assert.equal((await lstat(dataDir)).mode & 0o777, 0o755);
  assert.equal((await lstat(join(dataDir, 'notes'))).mode & 0o777, 0o644);
});
