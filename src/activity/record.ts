import type { Sql } from '#db';
import type { Principal } from '#http';
import { newId } from '#kernel';
import { insertActivity, type NewActivityRow } from './activity.store.ts';
import type { ActivityType, Severity } from './activity-types.ts';
import type { SubjectKind } from './subject-href.ts';

export type Actor = { kind: 'account' | 'api_key' | 'system'; id: string | null; label: string };

/** Something that happened, for the feed of the account `accountId`. Secrets never belong into `data`. */
export type Happening = {
  accountId: string;
  type: ActivityType;
  severity?: Severity;
  /** Left out: the installation itself. */
  actor?: Actor | undefined;
  project?: { ownerSlug: string; slug: string };
  subject: { kind: SubjectKind; id: string; label: string };
  message: string;
  data?: Record<string, unknown>;
  requestId?: string | undefined;
};

export const systemActor: Actor = { kind: 'system', id: null, label: 'Fanfold' };

export function actorOf(principal: Principal): Actor {
  return principal.keyId === null
    ? { kind: 'account', id: principal.accountId, label: principal.accountSlug }
    : { kind: 'api_key', id: principal.keyId, label: principal.keyName ?? principal.keyId };
}

/**
 * Writes it into the feed. Call it in the transaction that makes the change, and only when something changed, so that
 * the feed has what happened and nothing else.
 */
export async function recordActivity(sql: Sql, happening: Happening): Promise<void> {
  await insertActivity(sql, toRow(happening));
}

function toRow(happening: Happening): NewActivityRow {
  const { accountId, type, severity = 'info', project, subject, message, data = {}, requestId } = happening;
  const { actor = systemActor } = happening;
  return {
    id: newId('act'),
    accountId,
    type,
    severity,
    actor: { ...actor, label: withoutKeys(actor.label) },
    project: project ?? null,
    subject: { ...subject, label: withoutKeys(subject.label) },
    message: withoutKeys(message),
    // as: what replaces a key needs no other quotes than the key did.
    data: JSON.parse(withoutKeys(JSON.stringify(data))) as Record<string, unknown>,
    requestId: requestId ?? null,
  };
}

/** Whoever pastes a key into a name must not find it in a log that nobody can change. */
function withoutKeys(text: string): string {
  return text.replace(/fnf_[0-9A-Za-z]{49}/g, (key) => `${key.slice(0, 8)}...${key.slice(-4)}`);
}
