import { type Account, findAccount } from '#accounts';
import { type Happening, recordActivity } from '#activity';
import type { Sql } from '#db';
import { readRfc3339 } from '#http';
import {
  type Clock,
  type CursorCodec,
  createListCursor,
  fault,
  isId,
  type Listed,
  type ListPage,
  newId,
  type PageRequest,
} from '#kernel';
import type { HostedDeps } from './hosted-activation.ts';
import type { HostedModel } from './hosted-models.store.ts';
import { type HostedScope, readHostedModel } from './hosted-scope.ts';
import { deleteShare, listShareRows, type ModelShare, upsertShare } from './shares.store.ts';

/** How many calls accounts made of a model, by account; from the ledger. */
export type CountCalls = (
  sql: Sql,
  query: { projectId: string; alias: string; accountIds: readonly string[]; since: Date },
) => Promise<ReadonlyMap<string, number>>;

export type ShareDeps = HostedDeps & { cursors: CursorCodec; countCalls: CountCalls };

export type CountedShare = ModelShare & { calls30d: number };

const countedMs = 30 * 24 * 3_600_000;

export async function pageOfShares(
  deps: ShareDeps,
  scope: HostedScope,
  { id, limit, cursor }: PageRequest & { id: string },
): Promise<ListPage<Listed<CountedShare>>> {
  const model = await readHostedModel(deps.database, scope, id);
  const { after, cursorOf } = createListCursor(deps.cursors, ['model-shares', model.id]);
  const page = { after: after(cursor), limit: limit + 1 };
  const { rows, totalCount } = await listShareRows(deps.database, { hostedModelId: model.id, ...page });
  return { rows: await withCalls(deps, model, rows), limit, totalCount, cursorOf };
}

async function withCalls<Row extends ModelShare>(
  { database, countCalls, clock }: ShareDeps,
  { projectId, alias }: HostedModel,
  shares: readonly Row[],
): Promise<(Row & CountedShare)[]> {
  const accountIds = shares.map(({ accountId }) => accountId);
  const since = new Date(clock.nowMs() - countedMs);
  const calls = accountIds.length > 0 ? await countCalls(database, { projectId, alias, accountIds, since }) : new Map();
  return shares.map((share) => ({ ...share, calls30d: calls.get(share.accountId) ?? 0 }));
}

/** `expiresAt` as it was sent. */
export type ShareRequest = { accountSlug: string; expiresAt: string | null };

/**
 * Lets an account call the model, from the next request on, until `expiresAt`; a second request changes `expiresAt`. Throws
 * `not_found` for an account that does not exist, `invalid_request` for the owner's own and for a time that has passed.
 */
export async function shareModel(
  deps: ShareDeps,
  scope: HostedScope,
  { id, request }: { id: string; request: ShareRequest },
): Promise<{ share: CountedShare; isNew: boolean }> {
  const model = await readHostedModel(deps.database, scope, id);
  const expiresAt = readExpiry(request.expiresAt, deps.clock);
  const account = await accountToShareWith(deps.database, scope, request.accountSlug);
  const { share, isNew } = await deps.database.transaction(async (tx) => {
    await scope.lock(tx);
    const { projectId } = model;
    const row = { id: newId('shr'), hostedModelId: model.id, projectId, accountId: account.id, expiresAt };
    const { share, was } = await upsertShare(tx, row);
    if (was?.expiresAt?.getTime() !== expiresAt?.getTime() || was === null) {
      const until = expiresAt === null ? '' : ` until ${expiresAt.toISOString()}`;
      const message = `The model "${model.alias}" is shared with ${share.accountSlug}${until}.`;
      await recordShareActivity(tx, scope, model, share, { type: 'share.created', message });
      await tellRecipient(tx, scope, model, share);
    }
    return { share, isNew: was === null };
  });
  const [counted] = await withCalls(deps, model, [share]);
  if (!counted) throw new Error('A share was lost while its calls were counted. This is a bug.');
  return { share: counted, isNew };
}

function readExpiry(text: string | null, clock: Clock): Date | null {
  if (text === null) return null;
  const time = readRfc3339(text);
  if (time === null)
    throw fault('invalid_request', { message: 'expires_at: expected an RFC 3339 time.', param: 'expires_at' });
  if (time.getTime() <= clock.nowMs())
    throw fault('invalid_request', { message: 'expires_at: this time has passed.', param: 'expires_at' });
  return time;
}

async function accountToShareWith(sql: Sql, { project }: HostedScope, slug: string): Promise<Account> {
  const account = await findAccount(sql, slug.trim());
  if (!account) throw fault('not_found', { message: 'There is no such account.', param: 'account_slug' });
  if (account.id !== project.accountId) return account;
  throw fault('invalid_request', {
    message: 'account_slug: this is your own account, which may call the model anyway.',
    param: 'account_slug',
  });
}

/** Ends a share: the next request is refused, on every replica. Throws `not_found`, the second time as well. */
export async function unshareModel(
  deps: ShareDeps,
  scope: HostedScope,
  { id, shareId }: { id: string; shareId: string },
): Promise<void> {
  const model = await readHostedModel(deps.database, scope, id);
  await deps.database.transaction(async (tx) => {
    await scope.lock(tx);
    const share = isId('shr', shareId) ? await deleteShare(tx, { id: shareId, hostedModelId: model.id }) : null;
    if (!share) throw fault('not_found', { message: 'There is no such share.' });
    const message = `The model "${model.alias}" is no longer shared with ${share.accountSlug}.`;
    await recordShareActivity(tx, scope, model, share, { type: 'share.deleted', message });
  });
}

/** The account that may call the model now reads it in its own feed. */
async function tellRecipient(tx: Sql, { project }: HostedScope, model: HostedModel, share: ModelShare): Promise<void> {
  const address = `${project.ownerSlug}/${project.slug}/${model.alias}`;
  await recordActivity(tx, {
    accountId: share.accountId,
    type: 'share.created',
    severity: 'success',
    actor: { kind: 'account', id: project.accountId, label: project.ownerSlug },
    subject: { kind: 'shared_model', id: model.id, label: address },
    message: `${project.ownerSlug} shares the model ${address} with you.`,
    data: { expires_at: share.expiresAt?.toISOString() ?? null },
  });
}

async function recordShareActivity(
  tx: Sql,
  { change }: HostedScope,
  model: HostedModel,
  share: ModelShare,
  activity: Pick<Happening, 'type' | 'message'>,
): Promise<void> {
  await recordActivity(tx, {
    ...change,
    ...activity,
    subject: { kind: 'share', id: share.id, label: share.accountSlug },
    data: {
      hosted_model: { id: model.id, alias: model.alias },
      account: { id: share.accountId, slug: share.accountSlug },
      expires_at: share.expiresAt?.toISOString() ?? null,
    },
  });
}
