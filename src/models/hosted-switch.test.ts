import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { bearer } from '#test/accounts.ts';
import { longestAnswer } from '#test/long-answer.ts';
import { until } from '#test/scripted-engine.ts';
import { addModel } from './add-model.ts';
import {
  type Caller,
  type HostedServer,
  hostedIn,
  type Project,
  startHostedServer,
  tinyChat,
  untilState,
} from './hosted-server.fixture.ts';

let dataDir: string;
let server: HostedServer;
const other = { type: 'base_model', id: 'other-chat' };

before(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'fanfold-switch-'));
  server = await startHostedServer({ dataDir });
  const ggufPath = server.app.models.find(tinyChat.id)?.installed?.ggufPath ?? assert.fail();
  await addModel(server.app.models, { id: other.id, kind: 'text', ggufPath, rate: '0.9' });
  await until(() => server.app.models.find(other.id) !== undefined);
});
after(async () => {
  await server?.stop();
  await rm(dataDir, { recursive: true, force: true });
});

type Charged = { revision: number; served: string; rate: bigint; expected: string; expectedRate: bigint };

/** What the calls of a project were charged, beside what the revision that they name stood for. */
function charges({ projectId }: Project): Promise<Charged[]> {
  return server.db.database.query<Charged>(
    `select l.model_revision as revision, l.model_served as served, l.rate_micro_per_minute as rate,
            r.target_id as expected, r.rate_micro_per_minute as "expectedRate"
       from ledger l join hosted_models h on h.project_id = l.project_id and h.alias = l.model_requested
       left join hosted_model_revisions r on r.hosted_model_id = h.id and r.revision = l.model_revision
      where l.project_id = $1 and l.type = 'inference'`,
    [projectId],
  );
}

const body = (more: object = {}) => ({
  model: 'live',
  messages: [{ role: 'user', content: 'Hello!' }],
  max_tokens: 4,
  reasoning_effort: 'none',
  ...more,
});

async function scene(): Promise<{ ada: Caller; project: Project; id: string }> {
  const ada = await server.account();
  const project = await ada.project();
  const { id } = await project.create({ alias: 'live', target: tinyChat, activate: true });
  await untilState(ada, project, { id, state: 'active' });
  return { ada, project, id };
}

test('switching under load loses no call, and every call pays the rate of the revision that served it', async () => {
  const { ada, project, id } = await scene();
  const state = { done: false, calls: 0 };
  const statuses = new Set<number>();
  const caller = async () => {
    while (!state.done) {
      statuses.add((await ada.ask('POST', `${project.compat}/chat/completions`, body())).status);
      state.calls += 1;
    }
  };
  const together = 4;
  const callers = Promise.all(Array.from({ length: together }, caller));
  /** Of so many answers at least one is to a call that began after this. */
  const answeredFromNow = async () => {
    for (const enough = state.calls + together + 1; state.calls < enough && !state.done; ) await sleep(5);
  };
  const switches = 8;
  try {
    await Promise.race([callers, answeredFromNow()]);
    for (let n = 0; n < switches; n++) {
      const target = n % 2 === 0 ? other : tinyChat;
      const { status, body: changed } = await ada.ask('PATCH', `${project.path}/${id}`, { target });
      assert.equal(status, 200, JSON.stringify(changed));
      assert.deepEqual([hostedIn(changed).revision, hostedIn(changed).state], [n + 2, 'active']);
      await Promise.race([callers, answeredFromNow()]);
    }
  } finally {
    state.done = true;
  }
  await callers;
  assert.deepEqual(statuses, new Set([200]));
  const rows = await charges(project);
  assert.equal(rows.length, state.calls);
  for (const { served, expected, rate, expectedRate } of rows)
    assert.deepEqual([served, rate], [expected, expectedRate]);
  assert.equal(new Set(rows.map(({ revision }) => revision)).size, switches + 1, 'calls met every revision');
});

test('a stream that runs finishes on the old revision, at its rate', async () => {
  const { ada, project, id } = await scene();
  const response = await fetch(`${server.app.origin}${project.compat}/chat/completions`, {
    method: 'POST',
    headers: { ...bearer(ada.key), 'content-type': 'application/json' },
    body: JSON.stringify(body(longestAnswer)),
    signal: AbortSignal.timeout(180_000),
  });
  assert.equal(response.status, 200);
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader() ?? assert.fail();
  let text = (await reader.read()).value ?? '';
  assert.equal((await ada.ask('PATCH', `${project.path}/${id}`, { target: other })).status, 200);
  assert.deepEqual(await charges(project), [], 'the call still runs');
  for (let part = await reader.read(); !part.done; part = await reader.read()) text += part.value;
  assert.ok(text.endsWith('data: [DONE]\n\n'), text.slice(-200));
  const [row] = await charges(project);
  assert.deepEqual([row?.revision, row?.served], [1, tinyChat.id]);
});
