import type { IncomingHttpHeaders } from 'node:http';
import { createBatcher, type Sql } from '#db';
import type { Principal } from '#http';
import { Fault, type FaultName, type FaultOptions, fault } from '#kernel';
import { bearerDigest, type KeyUsage } from '#keys';
import { type CallLimits, hasLimits, type LimitedSubject } from '#limits';
import type { AliasRow, TrainedModel } from '#models';
import {
  type AdmissionFacts,
  type AdmissionRequest,
  type AdmissionScope,
  findAccountAdmission,
  findAdmissions,
} from './admission.store.ts';

/** Finds the finished job behind a call, as far as the caller may use it. */
export type FindTrained = (call: {
  requested: string | null;
  alias: AliasRow | null;
  accountId: string;
}) => Promise<TrainedModel | null>;

export type Admit = (headers: IncomingHttpHeaders, scope: AdmissionScope) => Promise<Admitted>;

/** One statement at a time: with two, batches are half as large and cost more (measured: a fifth fewer calls per second). */
const lanes = 1;
const maxItems = 512;

/**
 * Makes the admission check of the compatible routes. The promise: once the answer to deactivate or delete a key has
 * been sent, no call that arrives later is admitted, on any replica; so the database is asked anew for every call. Faults, in
 * this order: `invalid_credentials`, `account_suspended`, `project_not_found`, `state_conflict` (archived project);
 * `service_unavailable` when the database cannot answer.
 */
export function createAdmission(options: { sql: Sql; keyUsage: KeyUsage; findTrained?: FindTrained }): Admit {
  const { sql, keyUsage, findTrained } = options;
  const batcher = createBatcher<AdmissionRequest, AdmissionFacts>({
    name: 'inference.admit',
    lanes,
    maxItems,
    run: (requests) => findAdmissions(sql, requests),
  });

  return async (headers, scope) => {
    const digest = bearerDigest(headers);
    if (!digest) throw noKey();
    const answer = await batcher.submit({ ...scope, digest });
    const { keyId } = callerOf(answer);
    // A key counts as used also where the project refuses it.
    if (keyId !== null) keyUsage.seen(keyId);
    return withTrained(admittedOf(answer), scope.model, findTrained);
  };
}

export type AdmitPrincipal = ReturnType<typeof createPrincipalAdmission>;

/** The same check for a request that was authenticated before: with its key, or as the account of its session. */
export function createPrincipalAdmission(options: { sql: Sql; admit: Admit; findTrained?: FindTrained }) {
  const { sql, admit, findTrained } = options;
  return async (
    { headers, principal }: { headers: IncomingHttpHeaders; principal: Principal },
    scope: AdmissionScope,
  ): Promise<Admitted> => {
    if (principal.method === 'api_key') return admit(headers, scope);
    const answer = await findAccountAdmission(sql, principal.accountId, scope);
    if (!answer) throw fault('invalid_credentials');
    return withTrained(admittedOf(answer), scope.model, findTrained);
  };
}

/** Most calls name no training job: they wait for nothing. */
function withTrained(
  admitted: Admitted,
  requested: string | null,
  find: FindTrained | undefined,
): Admitted | Promise<Admitted> {
  if (!find || !namesJob(admitted, requested)) return admitted;
  const { alias, accountId } = admitted;
  return find({ requested, alias, accountId }).then((trained) => ({ ...admitted, trained }));
}

const namesJob = ({ alias }: Admitted, requested: string | null): boolean =>
  alias?.targetType === 'training_job' || requested?.startsWith('training-job#') === true;

/** Who calls, in which project, and the hosted model that the `model` string names there, if any. */
export type Admitted = {
  /** Null: somebody who is signed in. */
  key: { id: string; name: string } | null;
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
  /** The finished training job that is called, by its id or behind the alias. */
  trained?: TrainedModel | null;
};

/** A project refuses somebody whom we know: his account is shown why. */
export class RefusedCaller extends Fault {
  readonly caller: Pick<Admitted, 'accountId' | 'key'>;

  constructor(name: FaultName, caller: RefusedCaller['caller'], options: FaultOptions = {}) {
    super(name, options);
    this.caller = caller;
  }
}

/** Whoever calls. Faults: `invalid_credentials`, `account_suspended`. */
export function callerOf({ caller }: AdmissionFacts): NonNullable<AdmissionFacts['caller']> {
  if (!caller) throw noKey();
  if (caller.accountStatus !== 'active') throw fault('account_suspended');
  return caller;
}

/**
 * What an answer of the database lets a caller do. Faults: those of `callerOf`, then `project_not_found`, `state_conflict`
 * (archived project).
 */
export function admittedOf(answer: AdmissionFacts): Admitted {
  const caller = callerOf(answer);
  const { project, alias, share, isGuest } = answer;
  const { keyId, keyName, accountId, limits } = caller;
  const key = keyId === null ? null : { id: keyId, name: keyName ?? keyId };
  if (!project) throw new RefusedCaller('project_not_found', { accountId, key });
  const isOwner = project.ownerId === caller.accountId;
  // A private project of somebody else answers like one that does not exist, unless a model of it is shared with the caller.
  if (!isOwner && !isGuest && project.visibility !== 'public')
    throw new RefusedCaller('project_not_found', { accountId, key });
  if (project.archived)
    throw new RefusedCaller('state_conflict', { accountId, key }, { message: 'This project is archived.' });
  return {
    key,
    accountId,
    project: { id: project.id, kind: project.kind, ownerSlug: project.ownerSlug },
    isOwner,
    isSaved: isOwner && project.autoSaves,
    alias,
    share,
    limited: limits && limitedSubjects(caller, limits),
  };
}

/** The same text whatever is wrong with the key. */
export function noKey(): Fault {
  return fault('invalid_credentials', {
    message: 'No valid API key was given. Send an active key of this service: "Authorization: Bearer fnf_...".',
  });
}

function limitedSubjects(
  { keyId, accountId }: { keyId: string | null; accountId: string },
  limits: { key: CallLimits; account: CallLimits },
): LimitedSubject[] {
  const subjects: LimitedSubject[] = [
    ...(keyId === null ? [] : [{ scope: 'key' as const, id: keyId, limits: limits.key }]),
    { scope: 'account', id: accountId, limits: limits.account },
  ];
  return subjects.filter((subject) => hasLimits(subject.limits));
}
