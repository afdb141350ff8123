import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Fault, newId, systemClock } from '#kernel';
import { createKeyUsage } from '#keys';
import { insertHostedModel, openModels } from '#models';
import { bearer, seedAccount, seedKey, seedProject } from '#test/accounts.ts';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { createAdmission } from './admission.ts';

describe('admission of callers whom a model is shared with', () => {
  const databases: TestDatabase[] = [];
  before(async () => {
    databases.push(await createTestDatabase());
  });
  after(() => Promise.all(databases.map((database) => database.drop())));

  async function seed(visibility: 'private' | 'public' = 'private') {
    const [{ database } = assert.fail()] = databases;
    const [owner, guest] = [await seedAccount(database), await seedAccount(database)];
    const project = await seedProject(database, { accountId: owner.accountId, visibility });
    const cataloguePath = new URL('../../models/catalogue.yaml', import.meta.url).pathname;
    const baseModel = openModels({ cataloguePath, dataDir: '/nowhere' }).find('fanfold-tiny-chat') ?? assert.fail();
    const { projectId } = project;
    const insert = (alias: string) =>
      insertHostedModel(database, { projectId, alias, baseModel, visibility: 'shared', active: true });
    const [lent, kept] = [await insert('lent'), await insert('kept')];
    const admit = createAdmission({
      sql: database,
      keyUsage: createKeyUsage({ sql: database, clock: systemClock }),
    });
    const share = async (expires: string | null = null, model = lent) => {
      const id = newId('shr');
      await database.query(
        `insert into model_shares (id, hosted_model_id, project_id, account_id, expires_at)
         values ($1, $2, $3, $4, now() + $5::interval)`,
        [id, model.id, projectId, guest.accountId, expires],
      );
      return id;
    };
    const keys = { owner: await seedKey(database, owner), guest: await seedKey(database, guest) };
    const ask = (who: keyof typeof keys, model: string | null, { slug } = project) =>
      admit(bearer(keys[who].key), { ownerSlug: owner.slug, projectSlug: slug, model });
    return { database, ask, share, lent, kept, owner, guest };
  }

  const refusal = async (answer: Promise<unknown>) => {
    const error = await answer.then(
      () => assert.fail('was let in'),
      (reason: unknown) => reason,
    );
    assert.ok(error instanceof Fault, String(error));
    return error.fault;
  };

  test('a valid share opens a private project, shows which model it is for, and tells nothing of other models', async () => {
    const { ask, share, lent, guest } = await seed();
    assert.equal(await refusal(ask('guest', 'lent')), 'project_not_found');
    const shareId = await share('1 hour');
    const admitted = await ask('guest', 'lent');
    assert.deepEqual(
      [admitted.isOwner, admitted.accountId, admitted.alias?.id, admitted.share?.id],
      [false, guest.accountId, lent.id, shareId],
    );
    for (const model of ['kept', 'never-was', null]) {
      const { share: none, isOwner } = await ask('guest', model);
      assert.deepEqual([none, isOwner], [null, false]);
    }
  });

  test('whom several models of a project are shared with calls each of them, and no other private project is opened', async () => {
    const { database, ask, share, lent, kept, owner } = await seed();
    const other = await seedProject(database, { accountId: owner.accountId });
    const shares = [await share(), await share(null, kept)];
    const admitted = await Promise.all(['lent', 'kept'].map((model) => ask('guest', model)));
    assert.deepEqual(
      admitted.map((each) => [each.alias?.id, each.share?.id]),
      [lent, kept].map((model, index) => [model.id, shares[index]]),
    );
    for (const model of ['lent', null]) assert.equal(await refusal(ask('guest', model, other)), 'project_not_found');
  });

  test('an expired or deleted share ends with the next call', async () => {
    const { database, ask, share } = await seed();
    const shareId = await share('1 hour');
    await ask('guest', 'lent');
    await database.query(`update model_shares set expires_at = now() - interval '1 ms' where id = $1`, [shareId]);
    assert.equal(await refusal(ask('guest', 'lent')), 'project_not_found');
    await database.query('update model_shares set expires_at = null where id = $1', [shareId]);
    await ask('guest', 'lent');
    await database.query('delete from model_shares where id = $1', [shareId]);
    assert.equal(await refusal(ask('guest', 'lent')), 'project_not_found');
  });

  test('in a public project a share counts too, and the owner never has one', async () => {
    const { ask, share } = await seed('public');
    assert.equal((await ask('guest', 'lent')).share, null);
    const shareId = await share();
    assert.equal((await ask('guest', 'lent')).share?.id, shareId);
    assert.equal((await ask('owner', 'lent')).share, null);
    assert.equal((await ask('owner', 'lent')).isOwner, true);
  });
});
