import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Principal } from '#http';
import { Fault } from '#kernel';
import { seedAccount, seedProject } from '#test/accounts.ts';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { changeOwnProject, readOwnProject, seeProject } from './access.ts';
import { changeProject } from './projects.ts';

let db: TestDatabase;

before(async () => {
  db = await createTestDatabase();
});

after(() => db?.drop());

async function someone(): Promise<Principal> {
  const { accountId, slug: accountSlug } = await seedAccount(db.database);
  return { accountId, accountSlug, role: 'user', method: 'session', keyId: null, keyName: null, sessionId: 's' };
}

async function ownProject(owner: Principal, visibility: 'private' | 'public' = 'private') {
  const { slug } = await seedProject(db.database, { accountId: owner.accountId, visibility });
  return { owner: owner.accountSlug, project: slug };
}

const isFault = (name: string) => (error: unknown) => error instanceof Fault && error.fault === name;

test('what only the owner may read does not exist for those who see the project, what only he may change is forbidden', async () => {
  const [owner, other] = [await someone(), await someone()];
  const [hidden, open] = [await ownProject(owner), await ownProject(owner, 'public')];
  for (const path of [hidden, open]) {
    assert.equal((await readOwnProject(db.database, owner, path)).slug, path.project);
    assert.equal((await changeOwnProject(db.database, owner, path)).slug, path.project);
    await assert.rejects(readOwnProject(db.database, other, path), isFault('not_found'));
  }
  assert.equal((await seeProject(db.database, other, open)).role, 'public');
  await assert.rejects(changeOwnProject(db.database, other, open), isFault('owner_required'));
  await assert.rejects(changeOwnProject(db.database, other, hidden), isFault('not_found'));
});

/** Archives a project, holding on between the change and the commit. */
async function archive(owner: Principal, path: { owner: string; project: string }, hold: () => Promise<unknown>) {
  const { project: seen } = await seeProject(db.database, owner, path);
  await db.database.transaction(async (tx) => {
    await changeProject(tx, { seen, patch: { archived: true }, author: {}, work: [] });
    await hold();
  });
}

test('a project is not archived before the changes in flight in it are done', async () => {
  const owner = await someone();
  const path = await ownProject(owner);
  const order: string[] = [];
  const change = Promise.withResolvers<void>();
  const started = Promise.withResolvers<void>();
  const changing = db.database.transaction(async (tx) => {
    await changeOwnProject(tx, owner, path);
    started.resolve();
    await change.promise;
    order.push('changed');
  });
  await started.promise;
  const archiving = archive(owner, path, async () => order.push('archived'));
  await sleep(100);
  assert.deepEqual(order, []);
  await db.database.transaction(async (tx) => void (await changeOwnProject(tx, owner, await ownProject(owner))));
  change.resolve();
  await Promise.all([changing, archiving]);
  assert.deepEqual(order, ['changed', 'archived']);
});

test('a change that meets an archiving waits for it, and is refused', async () => {
  const owner = await someone();
  const path = await ownProject(owner);
  const held = Promise.withResolvers<void>();
  const started = Promise.withResolvers<void>();
  const archiving = archive(owner, path, () => {
    started.resolve();
    return held.promise;
  });
  await started.promise;
  const changing = db.database.transaction((tx) => changeOwnProject(tx, owner, path));
  const outcome = assert.rejects(changing, isFault('state_conflict'));
  assert.equal((await readOwnProject(db.database, owner, path)).archivedAt, null);
  held.resolve();
  await Promise.all([archiving, outcome]);
});

test('twenty contrary moves and changes at once leave one of the states that were asked for, and a feed that leads there', async () => {
  const owner = await someone();
  const path = await ownProject(owner);
  const { project: seen } = await seeProject(db.database, owner, path);
  const outcomes = await Promise.allSettled(
    Array.from({ length: 20 }, (_, n) =>
      db.database.transaction((tx) =>
        changeProject(tx, {
          seen,
          patch: n % 2 === 0 ? { archived: n % 4 === 0 } : { name: `n${n}` },
          author: {},
          work: [],
        }),
      ),
    ),
  );
  for (const outcome of outcomes)
    if (outcome.status === 'rejected') assert.ok(isFault('state_conflict')(outcome.reason), String(outcome.reason));
  const { archivedAt, name } = await readOwnProject(db.database, owner, path);
  const told = await db.database.query<{ type: string; data: { values?: { name?: { from: string; to: string } } } }>(
    `select type, data from activity where account_id = $1 and subject_id = $2 order by created_at, id`,
    [owner.accountId, seen.id],
  );
  const moves = told.map(({ type }) => type).filter((type) => type.endsWith('archived'));
  assert.deepEqual(moves.filter((type) => type === 'project.archived').length, Math.ceil(moves.length / 2));
  assert.equal(moves.length % 2 === 1, archivedAt !== null);
  const renamings = told.flatMap(({ data }) => data.values?.name ?? []);
  const next = new Map(renamings.map(({ from, to }) => [from, to]));
  let led = seen.name;
  while (next.has(led)) led = next.get(led) ?? led;
  assert.equal(led, name);
});
