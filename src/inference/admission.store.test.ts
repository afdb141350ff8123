import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import type { Database } from '#db';
import { insertHostedModel, openModels } from '#models';
import { seedAccount, seedKey, seedProject } from '#test/accounts.ts';
import { createTestDatabase } from '#test/database.ts';
import { type AdmissionFacts, findAccountAdmission, findAdmissions } from './admission.store.ts';

const unlimited = { requestsPerMinute: null, concurrentRequests: null, creditsPerDayMicro: null };

/** What an answer says of who asks, where and for what; null where it says that there is nothing. */
function told({ caller, project, alias }: AdmissionFacts) {
  return [caller && [caller.keyId, caller.accountId], project && [project.id, project.ownerId], alias?.id ?? null];
}

/** An account with a key, a project and a hosted model in it. */
async function seedOwner(database: Database) {
  const cataloguePath = new URL('../../models/catalogue.yaml', import.meta.url).pathname;
  const baseModel = openModels({ cataloguePath, dataDir: '/nowhere' }).find('fanfold-tiny-chat') ?? assert.fail();
  const account = await seedAccount(database);
  const { accountId } = account;
  const [{ key, keyId }, project] = [await seedKey(database, account), await seedProject(database, { accountId })];
  const alias = await insertHostedModel(database, {
    projectId: project.projectId,
    alias: 'chat',
    baseModel,
    active: true,
  });
  return { ...account, keyId, digest: createHash('sha256').update(key).digest('hex'), project, aliasId: alias.id };
}

test('questions of one statement are each answered for themselves, in their order', async (t) => {
  const { database, drop } = await createTestDatabase();
  t.after(drop);
  const [ann, bob] = [await seedOwner(database), await seedOwner(database)];
  await database.query('update accounts set requests_per_minute = 7 where id = $1', [bob.accountId]);
  await database.query('update api_keys set concurrent_requests = 2 where id = $1', [bob.keyId]);
  const place = (owner: typeof ann, model: string | null = 'chat') => ({ ...placeOf(owner), model });
  const ofAnn = [[ann.project.projectId, ann.accountId], ann.aliasId];
  const ofBob = [[bob.project.projectId, bob.accountId], bob.aliasId];
  const [isAnn, isBob] = [
    [ann.keyId, ann.accountId],
    [bob.keyId, bob.accountId],
  ];
  const nobody = '00'.repeat(32);
  const asked = [
    [{ digest: ann.digest, ...place(ann) }, [isAnn, ...ofAnn]],
    [{ digest: bob.digest, ...place(ann) }, [isBob, ...ofAnn]],
    [{ digest: nobody, ...place(bob) }, [null, ...ofBob]],
    [{ digest: bob.digest, ...place(bob) }, [isBob, ...ofBob]],
    [{ digest: ann.digest, ...place(bob, 'none') }, [isAnn, ofBob[0], null]],
    [{ digest: ann.digest, ...place(ann, null) }, [isAnn, ofAnn[0], null]],
    [{ digest: ann.digest, ...place(ann), ownerSlug: 'nobody' }, [isAnn, null, null]],
    [{ digest: ann.digest, ...place(bob), projectSlug: 'nothing' }, [isAnn, null, null]],
    [{ digest: ann.digest, ...place(ann) }, [isAnn, ...ofAnn]],
  ] as const;
  const answers = await findAdmissions(
    database,
    asked.map(([question]) => question),
  );
  assert.deepEqual(
    answers.map(told),
    asked.map(([, answer]) => answer),
  );
  assert.deepEqual(
    answers.map(({ caller }) => caller?.limits ?? null),
    asked.map(([{ digest }]) =>
      digest === bob.digest
        ? { key: { ...unlimited, concurrentRequests: 2 }, account: { ...unlimited, requestsPerMinute: 7 } }
        : null,
    ),
  );

  const signedIn = await findAccountAdmission(database, bob.accountId, place(ann));
  assert.deepEqual(signedIn && told(signedIn), [[null, bob.accountId], ...ofAnn]);
  assert.deepEqual(signedIn?.caller?.limits?.account, { ...unlimited, requestsPerMinute: 7 });
  const stranger = await findAccountAdmission(database, 'acc_nobody', place(ann));
  assert.deepEqual(stranger && told(stranger), [null, ...ofAnn]);
});

test('every change of a key, account, project, model or share is seen by the next admission', async (t) => {
  const { database, drop } = await createTestDatabase();
  t.after(drop);
  const limits = ['requests_per_minute = 7', 'concurrent_requests = 2', 'credits_per_day_micro = 9'];
  const keys = ["name = 'other'", ...limits, 'active = false', 'active = true'];
  const accounts = [
    ...limits,
    ...limits.map((limit) => `operator_${limit.replace(/\d+/, '1')}`),
    "status = 'suspended'",
    "status = 'active'",
  ];
  const projects = [
    "visibility = 'public'",
    "kind = 'embedding'",
    "kind = 'text'",
    'archived_at = now()',
    'archived_at = null',
    'inference_auto_save = true',
  ];
  const models = [
    ...["state = 'inactive'", "visibility = 'shared'", 'revision = revision + 1', "price_version = 'other'"],
    ...['rate_micro_per_minute = rate_micro_per_minute + 1', "target_id = 'other'", "base_model_id = 'other'"],
    ...["target_type = 'training_job'", "alias = 'other'", "alias = 'chat'"],
  ];
  for (const asks of ['owner', 'guest'] as const) {
    const people = { owner: await seedOwner(database), guest: await seedOwner(database) };
    const { owner, guest } = people;
    const changes = [
      ...keys.map((change) => `update api_keys set ${change} where id = '${people[asks].keyId}'`),
      ...accounts.map((change) => `update accounts set ${change} where id = '${people[asks].accountId}'`),
      ...projects.map((change) => `update projects set ${change} where id = '${owner.project.projectId}'`),
      ...models.map((change) => `update hosted_models set ${change} where id = '${owner.aliasId}'`),
    ];
    if (asks === 'guest')
      changes.push(
        `insert into model_shares (id, account_id, project_id, hosted_model_id)
         values ('shr_1', '${guest.accountId}', '${owner.project.projectId}', '${owner.aliasId}')`,
        `update model_shares set expires_at = now() where id = 'shr_1'`,
        `update model_shares set expires_at = now() + interval '1 hour' where id = 'shr_1'`,
        `delete from model_shares where id = 'shr_1'`,
      );
    const question = { digest: people[asks].digest, ...placeOf(owner) };
    const ask = async () => (await findAdmissions(database, [question]))[0] ?? assert.fail();
    let last = await ask();
    for (const change of changes) {
      await database.query(change);
      const changed = await ask();
      assert.notDeepEqual(changed, last, change);
      last = changed;
    }
  }
});

const placeOf = ({ slug, project }: Awaited<ReturnType<typeof seedOwner>>) => {
  return { ownerSlug: slug, projectSlug: project.slug, model: 'chat' };
};
