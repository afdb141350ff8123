import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { insertHostedModel, openModels } from '#models';
import { seedAccount, seedKey, seedProject } from '#test/accounts.ts';
import { createTestDatabase } from '#test/database.ts';
import { type AdmissionAnswer, findAccountAdmission, findAdmissions } from './admission.store.ts';

const unlimited = { requestsPerMinute: null, concurrentRequests: null, creditsPerDayMicro: null };

/** What an answer says of who asks, where and for what; null where it says that there is nothing. */
function told({ caller, project, alias }: AdmissionAnswer) {
  return [caller && [caller.keyId, caller.accountId], project && [project.id, project.ownerId], alias?.id ?? null];
}

test('questions of one statement are each answered for themselves, in their order', async (t) => {
  const { database, drop } = await createTestDatabase();
  t.after(drop);
  const cataloguePath = new URL('../../models/catalogue.yaml', import.meta.url).pathname;
  const baseModel = openModels({ cataloguePath, dataDir: '/nowhere' }).find('fanfold-tiny-chat') ?? assert.fail();
  const seed = async () => {
    const account = await seedAccount(database);
    const { accountId } = account;
    const [{ key, keyId }, project] = [await seedKey(database, account), await seedProject(database, { accountId })];
    const alias = await insertHostedModel(database, {
      ...{ projectId: project.projectId, alias: 'chat', baseModel, active: true },
    });
    return { ...account, keyId, digest: createHash('sha256').update(key).digest('hex'), project, aliasId: alias.id };
  };
  const [ann, bob] = [await seed(), await seed()];
  await database.query('update accounts set requests_per_minute = 7 where id = $1', [bob.accountId]);
  await database.query('update api_keys set concurrent_requests = 2 where id = $1', [bob.keyId]);
  const place = (owner: typeof ann, model: string | null = 'chat') => {
    return { ownerSlug: owner.slug, projectSlug: owner.project.slug, model };
  };
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
