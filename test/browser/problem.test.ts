import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openStage, type Stage, seedOwner } from './stage.ts';

let stage: Stage;

before(async () => {
  stage = await openStage();
});

after(async () => {
  await stage?.close();
});

test('an error shows its code and the id of its request', async () => {
  const owner = await seedOwner(stage.database);
  const { page, go, leave } = await stage.open({ ...owner, expected: [/^404 .*\/requests\/req_unknown$/] });
  await go('/requests?id=req_unknown');
  const alert = page.getByRole('alert').filter({ hasText: 'not_found' });
  await alert.waitFor({ timeout: 8_000 });
  assert.match((await alert.textContent()) ?? '', /not_found\s+req_/);
  await leave();
});
