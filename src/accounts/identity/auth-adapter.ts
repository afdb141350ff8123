import type { DBAdapter, Where } from 'better-auth';
import type { Database, Sql } from '#db';
import { fault, newId } from '#kernel';
import { type Flow, type Flows, noteFault } from './flow.ts';
import {
  findUserByEmail,
  findUserByIdentity,
  type Identity,
  type IdentityUser,
  insertIdentity,
  isSuspended,
  localIssuer,
  updateEmailVerified,
} from './identities.store.ts';
import { digestOfToken } from './session-token.ts';
import { insertSession } from './sessions.store.ts';

export type AuthAdapterDeps = {
  database: Database;
  flows: Flows;
  /** What `oidcProviderId` stands for; null without an identity provider. */
  oidcIssuer: string | null;
  /** Makes the account of a new user, in the transaction that also notes how the person signs in. */
  openAccount: (tx: Sql, person: NewPerson, flow: Flow) => Promise<{ id: string }>;
};

export type NewPerson = { email: string; emailVerified: boolean; name: string; image: string | null };

export const oidcProviderId = 'oidc';
const passwordProviderId = 'credential';

type Row = Record<string, unknown>;
type Queries = Omit<DBAdapter, 'transaction'>;

/**
 * The only way from better-auth to the database: the handful of statements that signing up, signing in and linking
 * need, over our own pool and transactions. A user is an account, a session is stored by its digest, a token of an
 * identity provider is not stored at all. Whatever else a release of better-auth might begin to ask is refused, so that
 * it fails in our tests and not in a table.
 */
export function createAuthAdapter(deps: AuthAdapterDeps): () => DBAdapter {
  const { database, flows } = deps;
  return () => ({
    ...queriesOver(deps, database),
    transaction: (work) => noteFault(flows.current(), () => database.transaction((tx) => work(queriesOver(deps, tx)))),
  });
}

function queriesOver(deps: AuthAdapterDeps, sql: Sql): Queries {
  // as: better-auth says which row it expects, and the branches below give that one.
  const give = <T>(work: (flow: Flow) => Promise<unknown>): Promise<T> => {
    const flow = deps.flows.current();
    return noteFault(flow, () => work(flow)) as Promise<T>;
  };
  const refuse = (verb: string) => (query: { model: string }) => Promise.reject(notServed(verb, query.model));
  return {
    id: 'fanfold',
    create: ({ model, data }) => give((flow) => create({ ...deps, sql, flow }, model, data)),
    findOne: ({ model, where }) => give((flow) => findOne({ sql, flow }, model, where)),
    findMany: ({ model, where = [] }) => give(() => findMany({ ...deps, sql }, model, where)),
    update: ({ model, where, update }) => give(() => updateOne(sql, { model, where, update })),
    count: refuse('count'),
    updateMany: refuse('updateMany'),
    delete: refuse('delete'),
    deleteMany: refuse('deleteMany'),
    consumeOne: refuse('consumeOne'),
    incrementOne: refuse('incrementOne'),
  };
}

type Creation = AuthAdapterDeps & { sql: Sql; flow: Flow };

function create(deps: Creation, model: string, data: Row): Promise<unknown> {
  if (model === 'user') return createUser(deps, data);
  if (model === 'account') return createIdentity(deps, data);
  if (model === 'session') return createSession(deps, data);
  throw notServed('create', model);
}

async function createUser({ sql, flow, openAccount }: Creation, data: Row): Promise<Row> {
  const person = {
    email: text(data, 'email'),
    emailVerified: data['emailVerified'] === true,
    name: text(data, 'name'),
    image: typeof data['image'] === 'string' ? data['image'] : null,
  };
  const { id } = await openAccount(sql, person, flow);
  return { ...data, id };
}

async function createIdentity({ sql, oidcIssuer }: Creation, data: Row): Promise<Row> {
  const accountId = text(data, 'userId');
  const providerId = text(data, 'providerId');
  const subject = text(data, 'accountId');
  const issuer = issuerOf(providerId, oidcIssuer);
  const passwordHash = issuer === localIssuer ? text(data, 'password') : null;
  if (!(await insertIdentity(sql, { issuer, subject, accountId, passwordHash })))
    throw fault('state_conflict', { message: 'Somebody else signs in this way already.' });
  return accountRow(accountId, providerId, { issuer, subject, passwordHash });
}

async function createSession({ sql, flow }: Creation, data: Row): Promise<Row> {
  const accountId = text(data, 'userId');
  const token = text(data, 'token');
  const id = newId('ses');
  const digest = digestOfToken(token);
  const started = await insertSession(sql, { id, accountId, digest, passwordHash: flow.passwordHash });
  if (!started)
    // Otherwise the password was changed since it was looked at.
    throw fault((await isSuspended(sql, accountId)) ? 'account_suspended' : 'invalid_credentials');
  flow.session = { id, accountId, token, expiresAt: started.expiresAt };
  return { ...data, id, expiresAt: started.expiresAt };
}

async function findOne({ sql, flow }: { sql: Sql; flow: Flow }, model: string, where: Where[]): Promise<Row | null> {
  const email = valuesAt(where, ['email'])?.['email'];
  if (model !== 'user' || email === undefined) throw notServed('findOne', model);
  const user = await findUserByEmail(sql, email);
  if (!user) return null;
  const password = user.identities.find(({ issuer }) => issuer === localIssuer);
  if (!password) return { ...userRow(user), account: [] };
  if (flow.checksPassword) flow.passwordHash = password.passwordHash;
  return { ...userRow(user), account: [accountRow(user.id, passwordProviderId, password)] };
}

async function findMany(
  { sql, oidcIssuer }: { sql: Sql; oidcIssuer: string | null },
  model: string,
  where: Where[],
): Promise<Row[]> {
  const key = valuesAt(where, ['providerId', 'accountId']);
  const { providerId, accountId: subject } = key ?? {};
  if (model !== 'account' || providerId === undefined || subject === undefined) throw notServed('findMany', model);
  const issuer = issuerOf(providerId, oidcIssuer);
  const user = await findUserByIdentity(sql, issuer, subject);
  if (!user) return [];
  return [{ ...accountRow(user.id, providerId, { issuer, subject, passwordHash: null }), user: userRow(user) }];
}

async function updateOne(
  sql: Sql,
  { model, where, update }: { model: string; where: Where[]; update: Row },
): Promise<Row | null> {
  const id = valuesAt(where, ['id'])?.['id'];
  const isVerification =
    Object.keys(update).every((name) => name === 'emailVerified') && update['emailVerified'] === true;
  if (model !== 'user' || id === undefined || !isVerification) throw notServed('update', model);
  await updateEmailVerified(sql, id);
  return { id, ...update };
}

/** The values of a condition on exactly these fields, all by equality; null for any other. */
function valuesAt(where: readonly Where[], fields: readonly string[]): Record<string, string> | null {
  const isPlain = where.every(({ operator = 'eq', connector = 'AND' }) => operator === 'eq' && connector === 'AND');
  const values = Object.fromEntries(where.map(({ field, value }) => [field, value]));
  const isWhole = where.length === fields.length && fields.every((field) => typeof values[field] === 'string');
  // as: the line above has looked at every value.
  return isPlain && isWhole ? (values as Record<string, string>) : null;
}

function issuerOf(providerId: string, oidcIssuer: string | null): string {
  if (providerId === passwordProviderId) return localIssuer;
  if (providerId === oidcProviderId && oidcIssuer !== null) return oidcIssuer;
  throw new Error(`There is no identity provider ${providerId}. This is a bug.`);
}

function userRow({ identities: _, email, ...user }: IdentityUser): Row {
  return { ...user, email: email ?? '' };
}

function accountRow(userId: string, providerId: string, { subject, passwordHash }: Identity): Row {
  return { id: subject, userId, providerId, accountId: subject, password: passwordHash };
}

function text(data: Row, field: string): string {
  const value = data[field];
  if (typeof value === 'string') return value;
  throw new Error(`better-auth gives no ${field}. This is a bug.`);
}

function notServed(verb: string, model: string): Error {
  return new Error(`better-auth asks to ${verb} ${model}, which this adapter does not know. This is a bug.`);
}
