import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { doctor } from '#billing';
import { bearer } from '#test/accounts.ts';
import { longAnswer } from '#test/long-answer.ts';
import { seedSession } from '#test/sessions.ts';
import { openJobs } from './jobs.fixture.ts';

let opened: Awaited<ReturnType<typeof openJobs>>;

before(async () => {
  opened = await openJobs();
});

after(() => opened?.close());

test('the jobs of a deleted account end and are paid for until then, a call in flight once, and then its projects are gone', async () => {
  const { server, ada, make } = opened;
  const { database, app } = server;
  const [running, waiting] = [await make(1, 5_000), await make(1, 5_000)];
  await ada.until(running.id, 'running');
  const call = await fetch(`${app.origin}/api/projects/${ada.slug}/chat/openai/v1/chat/completions`, {
    method: 'POST',
    headers: { ...bearer(ada.key), 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'chat', messages: [{ role: 'user', content: 'Count.' }], ...longAnswer }),
  });
  assert.equal(call.status, 200);
  const { headers } = await seedSession(database, ada);
  const answer = await fetch(`${app.origin}/api/v1/account/delete`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ confirmation: ada.slug }),
  });
  assert.equal(answer.status, 204);
  assert.match(await call.text(), /data: \[DONE\]\n\n$/);

  const deadline = performance.now() + 120_000;
  const isOver = async () => {
    const [row] = await database.query<{ isOver: boolean }>(
      `select held_micro = 0 and not exists (select from projects p where p.account_id = a.id) as "isOver"
         from accounts a where id = $1`,
      [ada.accountId],
    );
    return row?.isOver === true;
  };
  while (!(await isOver())) {
    assert.ok(performance.now() < deadline, 'its projects are still there');
    await sleep(100);
  }
  const states = await database.query('select state from training_jobs where id = any($1)', [[running.id, waiting.id]]);
  assert.deepEqual(states, [{ state: 'canceled' }, { state: 'canceled' }]);
  const rows = await database.query<{ type: string; job: string | null; isCharged: boolean }>(
    `select type, training_job_id as job, micro < 0 as "isCharged" from ledger
      where account_id = $1 and type in ('inference', 'training') order by type, training_job_id = $2 desc`,
    [ada.accountId, running.id],
  );
  const ofCalls = rows.filter(({ type }) => type === 'inference');
  assert.deepEqual(ofCalls, [{ type: 'inference', job: null, isCharged: true }]);
  const ofRunning = rows.filter(({ job }) => job === running.id);
  assert.deepEqual(ofRunning, [{ type: 'training', job: running.id, isCharged: true }]);
  assert.deepEqual(await doctor(database), []);
});
