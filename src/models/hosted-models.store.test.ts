import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Fault, newId } from '#kernel';
import { seedAccount, seedProject } from '#test/accounts.ts';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import type { BaseModel } from './base-model.ts';
import { toCompatModel } from './base-models.routes.ts';
import { insertHostedModel } from './hosted-alias.ts';
import { findHostedModel, listCallableHostedModels, listHostedModelsByBase } from './hosted-models.store.ts';

const baseModel: BaseModel = {
  id: 'base',
  name: 'Base',
  kind: 'text',
  parameters: 1,
  license: null,
  maxContextTokens: 4096,
  dimensions: null,
  maxInputTokens: null,
  rateMicroPerMinute: 70_000n,
  priceVersion: 'v1',
  queryInstruction: null,
  reasoningEfforts: [],
  tools: false,
  source: null,
  installed: null,
  created: new Date(0),
};

describe('hosted models in the database', () => {
  const databases: TestDatabase[] = [];
  before(async () => {
    databases.push(await createTestDatabase());
  });
  after(() => Promise.all(databases.map((database) => database.drop())));

  async function seed() {
    const [{ database } = assert.fail()] = databases;
    const { accountId } = await seedAccount(database);
    const { projectId } = await seedProject(database, { accountId });
    return { database, projectId };
  }

  test('an alias keeps the rate that the base model had', async () => {
    const { database, projectId } = await seed();
    const model = await insertHostedModel(database, { projectId, alias: 'helper', baseModel, active: true });
    assert.deepEqual(await findHostedModel(database, projectId, 'helper'), model);
    assert.equal(model.rateMicroPerMinute, 70_000n);
    assert.deepEqual([model.revision, model.visibility, model.displayName], [1, 'private', 'helper']);
    assert.equal(await findHostedModel(database, projectId, 'other'), null);
    assert.equal(await findHostedModel(database, newId('prj'), 'helper'), null);
  });

  test('of twenty inserts of one alias at once, one wins and the others get alias_taken', async () => {
    const { database, projectId } = await seed();
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, () => insertHostedModel(database, { projectId, alias: 'a', baseModel, active: true })),
    );
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
    for (const result of results) {
      if (result.status === 'rejected')
        assert.ok(result.reason instanceof Fault && result.reason.fault === 'alias_taken');
    }
  });

  test('names that cannot be an alias are refused', async () => {
    const { database, projectId } = await seed();
    const odd = [
      '/a',
      'a/',
      'a//b',
      'a/.',
      'a/../b',
      ':a',
      'a:',
      'a:/b',
      'a b',
      'a\nb',
      'a\n',
      'a%2fb',
      'a\\b',
      'http://a',
    ];
    for (const alias of [
      '',
      'A',
      '-a',
      'a#b',
      'training-job#1',
      'a'.repeat(64),
      `a/${'b'.repeat(62)}`,
      'base',
      ...odd,
    ]) {
      await assert.rejects(
        insertHostedModel(database, { projectId, alias, baseModel, active: true }),
        (error) => error instanceof Fault && error.fault === 'invalid_request' && error.options.param === 'alias',
      );
    }
  });

  test('a base model may have many aliases, of the names that clients ask for', async () => {
    const { database, projectId } = await seed();
    const names = [
      'claude-sonnet-4-5',
      'claude-haiku-4-5-20251001',
      'gpt-5.1-codex',
      'org/model:tag',
      'a/b/c',
      'o4-mini',
    ];
    for (const alias of [...names, `a/${'b'.repeat(61)}`])
      assert.equal((await insertHostedModel(database, { projectId, alias, baseModel, active: true })).alias, alias);
  });

  test('the owner is shown active aliases, anybody else the public ones', async () => {
    const { database, projectId } = await seed();
    const { accountId: stranger } = await seedAccount(database);
    const insert = (alias: string, more: { active: boolean; visibility?: 'private' | 'public' }) =>
      insertHostedModel(database, { projectId, alias, baseModel, ...more });
    await insert('own', { active: true });
    await insert('open', { active: true, visibility: 'public' });
    await insert('off', { active: false, visibility: 'public' });
    const names = async (isOwner: boolean) =>
      (await listCallableHostedModels(database, { projectId, isOwner, accountId: stranger })).map(({ alias }) => alias);
    assert.deepEqual(await names(true), ['own', 'open']);
    assert.deepEqual(await names(false), ['open']);
  });

  test('the aliases that stand on a base model are found in every project', async () => {
    const one = await seed();
    const two = await seed();
    const other = { ...baseModel, id: `only-${one.projectId.toLowerCase().slice(-8)}` };
    for (const { projectId } of [one, two]) {
      await insertHostedModel(one.database, { projectId, alias: 'x', baseModel: other, active: true });
    }
    await insertHostedModel(one.database, { projectId: one.projectId, alias: 'y', baseModel: other, active: false });
    const found = await listHostedModelsByBase(one.database, other.id);
    assert.deepEqual(
      found.map(({ projectId }) => projectId),
      [one.projectId, two.projectId],
    );
  });

  test('the compatible list names alias, whole seconds and owner', async () => {
    const { database, projectId } = await seed();
    const model = await insertHostedModel(database, { projectId, alias: 'helper', baseModel, active: true });
    const row = toCompatModel({ ...model, createdAt: new Date(1_760_000_000_999) }, 'acme');
    assert.deepEqual(row, { id: 'helper', object: 'model', created: 1_760_000_000, owned_by: 'acme' });
  });
});
