import assert from 'node:assert/strict';
import { chmod, mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { openAttempts } from './runner.fixture.ts';
import { SharedAttempt } from './shared-folder.ts';

const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

test('what workers get is as open as the shared folder, and what they give back is for this user only', async (t) => {
  const attempts = await openAttempts();
  t.after(attempts.remove);
  const usual = process.umask(0o077);
  t.after(() => process.umask(usual));
  const [shared, model] = [join(attempts.root, 'shared'), join(attempts.root, 'model')];
  for (const folder of [shared, model]) await mkdir(folder);
  await chmod(shared, 0o755);
  await writeFile(join(model, 'weights'), '');
  const run = await attempts.attempt();
  const spec = { ...run.spec, base: { ...run.spec.base, dir: model } };
  const sharedAttempt = new SharedAttempt({ here: shared, there: shared }, { ...run, spec });
  await sharedAttempt.layOut();

  const here = join(shared, 'attempts', run.jobId, `${run.attempt}-0`);
  const weights = join(shared, 'models', spec.base.sha256);
  for (const folder of [
    join(here, '..', '..'),
    join(here, '..'),
    here,
    join(here, 'out'),
    join(weights, '..'),
    weights,
  ])
    assert.equal(await modeOf(folder), '755', folder);
  for (const file of [join(here, 'spec.json'), join(weights, 'weights')]) assert.equal(await modeOf(file), '644', file);

  process.umask(0);
  await mkdir(join(here, 'out', 'ckpt-000001'));
  await writeFile(join(here, 'out', 'ckpt-000001', 'state'), '');
  await writeFile(join(here, 'out', 'events.jsonl'), '');
  await writeFile(join(here, 'output.log'), 'text');
  await sharedAttempt.bringAll(join(run.specFolder, 'output.log'));
  const home = join(run.specFolder, 'out');
  assert.equal(await modeOf(join(home, 'ckpt-000001')), '700');
  assert.equal(await modeOf(join(home, 'ckpt-000001', 'state')), '600');
  assert.equal(await modeOf(join(home, 'events.jsonl')), '600');
});
