import type { IncomingHttpHeaders } from 'node:http';
import { createBatcher, type Sql } from '#db';
import { fault } from '#kernel';
import { bearerDigest, type KeyUsage } from '#keys';
import { type CallLimits, hasLimits, type LimitedSubject } from '#limits';
import type { AliasRow } from '#models';
import { type AdmissionAnswer, type AdmissionQuestion, findAdmissions } from './admission.store.ts';

/** Who calls, in which project, and the hosted model that the `model` string names there, if any. */
export type Admitted = {
  key: { id: string; name: string };
  accountId: string;
  project: { id: string; kind: 'text' | 'embedding'; ownerSlug: string };
  /** The caller owns the project. */
  isOwner: boolean;
  alias: AliasRow | null;
  /** What lets a caller who is not the owner use an alias that is `shared`. */
  share: { id: string } | null;
  /**
   * The project keeps its text calls and this is one of its owner's own. Calls of others are never kept: whoever was
   * given a model has not given the owner his prompts.
   */
  isSaved: boolean;
  /** Key and account, as far as they have limits; null: neither has. */
  limited: LimitedSubject[] | null;
};

export type Admit = (headers: IncomingHttpHeaders, question: Omit<AdmissionQuestion, 'digest'>) => Promise<Admitted>;

/** One statement at a time: with two, batches are half as large and cost more (measured: a fifth fewer calls per second). */
const lanes = 1;
const maxQuestions = 512;

/**
 * Makes the admission check of the compatible routes. The promise: once the answer to deactivate or delete a key has
 * been sent, no call that arrives later is admitted, on any replica; so nothing here is cached. Faults, in this order:
 * `invalid_credentials`, `account_suspended`, `project_not_found`, `state_conflict` (archived project);
 * `service_unavailable` when the database cannot answer.
 */
export function createAdmission({ sql, keyUsage }: { sql: Sql; keyUsage: KeyUsage }): Admit {
  const batcher = createBatcher<AdmissionQuestion, AdmissionAnswer>({
    name: 'inference.admit',
    lanes,
    maxItems: maxQuestions,
    run: (questions) => findAdmissions(sql, questions),
  });
  return async (headers, question) => {
    const digest = bearerDigest(headers);
    if (!digest) throw fault('invalid_credentials');
    const admitted = judge(await batcher.submit({ ...question, digest }));
    keyUsage.seen(admitted.key.id);
    return admitted;
  };
}

function judge({ key, project, alias, share, isGuest }: AdmissionAnswer): Admitted {
  if (!key) throw fault('invalid_credentials');
  if (key.accountStatus !== 'active') throw fault('account_suspended');
  if (!project) throw fault('project_not_found');
  const isOwner = project.ownerId === key.accountId;
  // A private project of somebody else answers like one that does not exist, unless a model of it is shared with the caller.
  if (!isOwner && !isGuest && project.visibility !== 'public') throw fault('project_not_found');
  if (project.archived) throw fault('state_conflict', { message: 'This project is archived.' });
  return {
    key: { id: key.id, name: key.name },
    accountId: key.accountId,
    project: { id: project.id, kind: project.kind, ownerSlug: project.ownerSlug },
    isOwner,
    isSaved: isOwner && project.autoSaves,
    alias,
    share,
    limited: key.limits && limitedSubjects(key, key.limits),
  };
}

function limitedSubjects(
  { id, accountId }: { id: string; accountId: string },
  limits: { key: CallLimits; account: CallLimits },
): LimitedSubject[] {
  const subjects: LimitedSubject[] = [
    { scope: 'key', id, limits: limits.key },
    { scope: 'account', id: accountId, limits: limits.account },
  ];
  return subjects.filter((subject) => hasLimits(subject.limits));
}
