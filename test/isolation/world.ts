import { grant } from '#billing';
import type { Database } from '#db';
import { microPerCredit, newId } from '#kernel';
import { setKeyActive } from '#keys';
import { insertHostedModel } from '#models';
import { bearer, seedAccount, seedKey, seedProject } from '#test/accounts.ts';
import { startApp, type TestApp } from '#test/app.ts';
import { createTestDatabase } from '#test/database.ts';
import { seedSession } from '#test/sessions.ts';
import type { Caller, Place } from './matrix.ts';
import { Secrets } from './secrets.ts';

export type Account = { accountId: string; slug: string; key: string; keyId: string };

/** A project of one kind for each thing that a caller can be to it. */
export type Places = {
  private: Place;
  shared: Place;
  public: Place;
  /** Another private project of the owner. */
  elsewhere: Place;
  ofStranger: Place;
  ofSuspended: Place;
};

export type World = {
  app: TestApp;
  database: Database;
  owner: Account;
  /** Somebody with the role `admin`. */
  operator: Account;
  /** Somebody whom the owner shared a model with. */
  friend: Account;
  stranger: Account;
  suspended: Account;
  /** A key of the owner that is not active. */
  deadKey: string;
  /** A session of the suspended account, from better days. */
  oldSession: Credential['headers'];
  places: Record<Place['kind'], Places>;
  secrets: Secrets;
  stop: () => Promise<void>;
};

/** Stands in the name of everything private; `secrets` holds it. */
export const canary = 'heliotrope';

/** Not words that a message might hold: answers are compared with the caller's own words taken out. */
const slugs = { owner: 'olga' } as const;

const tinyModels = { text: 'fanfold-tiny-chat', embedding: 'fanfold-tiny-embed' } as const;

/** The wired program on a fresh database, with everybody whom the matrix knows. */
export async function createWorld(): Promise<World> {
  const db = await createTestDatabase();
  // Jobs stay where they are: what is asked is who may touch them.
  const app = await startApp(db.database, {
    settings: {
      HF_ENDPOINT: 'http://127.0.0.1:9',
      FANFOLD_TRAINING_SLOTS: '0',
      FANFOLD_MAX_ACTIVE_TRAINING_JOBS: '10000',
    },
  });
  const { database } = db;
  const [owner, operator, friend, stranger, suspended] = [
    await createAccount(database, slugs.owner),
    await createAccount(database, 'oscar'),
    await createAccount(database, 'felix'),
    await createAccount(database, 'stella'),
    await createAccount(database, 'sven'),
  ];
  await database.query(`update accounts set role = 'admin' where id = $1`, [operator.accountId]);
  const dead = await seedKey(database, { accountId: owner.accountId, name: `${canary} key` });
  await setKeyActive(database, { accountId: owner.accountId, keyId: dead.keyId }, false);
  const furnish = async (kind: Place['kind']): Promise<Places> => {
    const place = (account: Account, called: PlaceName) => createPlace({ database, app }, { account, kind, called });
    const shared = await place(owner, 'shared');
    await shareModel(database, shared, friend);
    return {
      private: await place(owner, 'private'),
      shared,
      public: await place(owner, 'public'),
      elsewhere: await place(owner, 'elsewhere'),
      ofStranger: await place(stranger, 'private'),
      ofSuspended: await place(suspended, 'private'),
    };
  };
  const places = { text: await furnish('text'), embedding: await furnish('embedding') };
  const { headers: oldSession } = await seedSession(database, { accountId: suspended.accountId });
  await database.query(`update accounts set status = 'suspended' where id = $1`, [suspended.accountId]);
  const hidden = [places.text, places.embedding].flatMap((each) => [each.private, each.elsewhere]);
  return {
    app,
    database,
    owner,
    operator,
    friend,
    stranger,
    suspended,
    places,
    deadKey: dead.key,
    oldSession,
    secrets: new Secrets([
      ...[canary, owner.keyId, dead.keyId],
      ...hidden.flatMap(({ projectId, hostedModelId }) => [projectId, hostedModelId]),
    ]),
    stop: async () => {
      // Also when the program has broken its contract: an open database would keep the process alive.
      await app.stop().finally(() => db.drop());
    },
  };
}

/** Which project a caller is asked about. */
export function placeOf(world: World, caller: Caller, kind: Place['kind']): Place {
  const places = world.places[kind];
  if (caller === 'shared' || caller === 'public') return places[caller];
  return caller === 'suspended' ? places.ofSuspended : places.private;
}

export type Credential = { kind: 'api_key' | 'session' | 'none'; headers: Record<string, string> };

/** Every way in which a caller can say who he is. The sessions are fresh, as some routes end them. */
export async function credentialsOf(world: World, caller: Caller): Promise<Credential[]> {
  if (caller === 'noCredential') return [{ kind: 'none', headers: {} }];
  const { accountId, key } = accountOf(world, caller);
  const isDead = caller === 'deactivatedKey';
  return [
    { kind: 'api_key', headers: bearer(isDead ? world.deadKey : key) },
    {
      kind: 'session',
      headers: caller === 'suspended' ? world.oldSession : await beginSession(world, accountId, isDead),
    },
  ];
}

async function beginSession({ database }: World, accountId: string, isEnded: boolean): Promise<Credential['headers']> {
  const { sessionId, headers } = await seedSession(database, { accountId });
  if (isEnded) await database.query('delete from auth_sessions where id = $1', [sessionId]);
  return headers;
}

function accountOf({ owner, operator, friend, stranger, suspended }: World, caller: Caller): Account {
  if (caller === 'owner' || caller === 'deactivatedKey') return owner;
  if (caller === 'operator') return operator;
  if (caller === 'shared') return friend;
  return caller === 'suspended' ? suspended : stranger;
}

async function createAccount(database: Database, slug: string): Promise<Account> {
  const { accountId } = await seedAccount(database, { slug });
  const name = slug === slugs.owner ? `${canary} first key` : 'first key';
  const { key, keyId } = await seedKey(database, { accountId, name });
  await database.transaction((tx) => grant(tx, { accountId, micro: 1000n * microPerCredit, note: 'Test credits' }));
  return { accountId, slug, key, keyId };
}

type PlaceName = 'private' | 'shared' | 'public' | 'elsewhere';
type Where = { database: Database; app: TestApp };

async function createPlace(
  { database, app }: Where,
  { account, kind, called }: { account: Account; kind: Place['kind']; called: PlaceName },
): Promise<Place> {
  const isHidden = called === 'private' || called === 'elsewhere';
  const isSecret = account.slug === slugs.owner && isHidden;
  const { projectId, slug: project } = await seedProject(database, {
    accountId: account.accountId,
    slug: `${called}-${kind}`,
    name: isSecret ? `${canary} project` : `${called} project`,
    kind,
    visibility: called === 'public' ? 'public' : 'private',
  });
  const baseModel = app.models.find(tinyModels[kind]);
  if (!baseModel) throw new Error(`The catalogue has no ${tinyModels[kind]}.`);
  const { id: hostedModelId, alias } = await insertHostedModel(database, {
    projectId,
    alias: 'parrot',
    displayName: isSecret ? `${canary} model` : 'model',
    baseModel,
    visibility: called === 'public' ? 'public' : 'shared',
    active: true,
  });
  return { ownerSlug: account.slug, projectId, project, kind, hostedModelId, alias };
}

function shareModel(database: Database, place: Place, friend: Account): Promise<unknown> {
  return database.query(
    'insert into model_shares (id, hosted_model_id, project_id, account_id) values ($1, $2, $3, $4)',
    [newId('shr'), place.hostedModelId, place.projectId, friend.accountId],
  );
}
