import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Fault } from '#kernel';
import { seedAccount } from '#test/accounts.ts';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { findProjectFor } from './access.store.ts';
import { createProject } from './projects.ts';

let db: TestDatabase;

before(async () => {
  db = await createTestDatabase();
});

after(() => db.drop());

test('a project is private, named after its slug, and found under its owner only', async () => {
  const [owner, other] = [await seedAccount(db.database), await seedAccount(db.database)];
  const project = await createProject(db.database, { accountId: owner.accountId, slug: 'chat', kind: 'text' });
  assert.deepEqual(
    [project.name, project.visibility, project.kind, project.inferenceAutoSave],
    ['chat', 'private', 'text', false],
  );
  assert.deepEqual([project.ownerSlug, project.isShared], [owner.slug, false]);
  const question = { projectSlug: 'chat', accountId: owner.accountId };
  assert.deepEqual(await findProjectFor(db.database, { ...question, ownerSlug: owner.slug }), project);
  assert.equal(await findProjectFor(db.database, { ...question, ownerSlug: other.slug }), null);
});

test('a slug is taken once per owner, also when twenty ask at once', async () => {
  const [owner, other] = [await seedAccount(db.database), await seedAccount(db.database)];
  const make = (accountId: string) => createProject(db.database, { accountId, slug: 'p', kind: 'embedding' });
  const attempts = await Promise.allSettled(Array.from({ length: 20 }, () => make(owner.accountId)));
  assert.equal(attempts.filter(({ status }) => status === 'fulfilled').length, 1);
  for (const attempt of attempts)
    if (attempt.status === 'rejected')
      assert.ok(attempt.reason instanceof Fault && attempt.reason.fault === 'slug_taken');
  await make(other.accountId);
});

test('bad slugs, reserved words and bad names are refused by field', async () => {
  const { accountId } = await seedAccount(db.database);
  const cases = {
    slug: [{ slug: 'New' }, { slug: 'new' }, { slug: '' }],
    name: [
      { slug: 'x', name: '' },
      { slug: 'x', name: 'a\nb' },
    ],
  };
  for (const [param, inputs] of Object.entries(cases))
    for (const input of inputs)
      await assert.rejects(
        createProject(db.database, { accountId, kind: 'text', ...input }),
        (error) => error instanceof Fault && error.row.status === 400 && error.options.param === param,
      );
});
