import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { grant } from '#billing';
import { microPerCredit } from '#kernel';
import { seedAccount, seedKey, seedProject } from '#test/accounts.ts';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { type ServerProcess, startServerProcess } from '#test/server-process.ts';
import { askAs, hostedIn, tinyChat, untilState } from './hosted-server.fixture.ts';

let db: TestDatabase;
const servers: ServerProcess[] = [];
before(async () => {
  db = await createTestDatabase();
});
after(async () => {
  for (const server of servers) server.kill();
  await db.drop();
});

async function start(): Promise<ServerProcess> {
  const server = await startServerProcess(db.url);
  servers.push(server);
  return server;
}

/** A server dies while it checks a new model; again with another one where the check was quicker. */
async function activationCutOff() {
  for (;;) {
    const begun = await beginActivation();
    const [left] = await db.database.query<{ state: string }>('select state from hosted_models where id = $1', [
      begun.id,
    ]);
    if (left?.state === 'warming') return begun;
  }
}

async function beginActivation() {
  const { accountId, slug } = await seedAccount(db.database);
  const { key } = await seedKey(db.database, { accountId });
  await db.database.transaction((tx) => grant(tx, { accountId, micro: microPerCredit, note: 'Test credits' }));
  const { slug: project } = await seedProject(db.database, { accountId });
  const path = `/api/v1/projects/${slug}/${project}/hosted-models`;
  const compat = `/api/projects/${slug}/${project}/openai/v1`;

  const first = await start();
  const made = await askAs(first.origin, key)('POST', path, { alias: 'phoenix', target: tinyChat, activate: true });
  first.kill();
  const { id, state } = hostedIn(made.body);
  assert.equal(state, 'warming');
  return { accountId, key, path, compat, id };
}

test('an activation goes on after its server was killed in the middle, once, and never for another one', async () => {
  const { accountId, key, path, compat, id } = await activationCutOff();
  const second = await start();
  const ask = askAs(second.origin, key);
  await untilState({ ask }, { path }, { id, state: 'active' });
  const messages = [{ role: 'user', content: 'Hello!' }];
  const call = await ask('POST', `${compat}/chat/completions`, { model: 'phoenix', messages, max_tokens: 1 });
  assert.equal(call.status, 200);
  const rows = await db.database.query<{ type: string; actor: string }>(
    `select type, actor_kind as actor from activity where account_id = $1 and type like 'model.%' order by created_at, id`,
    [accountId],
  );
  assert.deepEqual(rows, [
    { type: 'model.created', actor: 'api_key' },
    { type: 'model.activated', actor: 'api_key' },
  ]);
  await second.stop();
});
