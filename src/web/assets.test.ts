import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

test('the files of the web app are read by a process that may open few at once', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'fanfold-assets-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  for (let n = 0; n < 200; n += 1) await writeFile(join(folder, `${n}.js`), String(n));
  const module = new URL('./assets.ts', import.meta.url).href;
  const code = `import { loadAssets } from ${JSON.stringify(module)}; console.log((await loadAssets(${JSON.stringify(folder)})).size);`;
  const { stdout, stderr } = spawnSync(
    'sh',
    ['-c', 'ulimit -n 64 && exec "$@"', 'sh', process.execPath, '--input-type=module', '--eval', code],
    { encoding: 'utf8' },
  );
  assert.equal(stdout, '200\n', stderr);
});
