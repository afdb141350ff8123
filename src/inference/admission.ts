import type { IncomingHttpHeaders } from 'node:http';
import { createBatcher, type Sql } from '#db';
import type { Principal } from '#http';
import { fault } from '#kernel';
import { bearerDigest, type KeyUsage } from '#keys';
import type { AliasRow, TrainedModel } from '#models';
import {
  type AdmissionAnswer,
  type AdmissionQuestion,
  type AdmittedPlace,
  findAccountAdmission,
  findAdmissions,
} from './admission.store.ts';
import { type Admitted, callerOf, judge, noKey } from './admitted.ts';

/** Finds the finished job behind a call, as far as the caller may use it. */
export type FindTrained = (question: {
  requested: string | null;
  alias: AliasRow | null;
  accountId: string;
}) => Promise<TrainedModel | null>;

export type Admit = (headers: IncomingHttpHeaders, place: AdmittedPlace) => Promise<Admitted>;

/** One statement at a time: with two, batches are half as large and cost more (measured: a fifth fewer calls per second). */
const lanes = 1;
const maxQuestions = 512;

/**
 * Makes the admission check of the compatible routes. The promise: once the answer to deactivate or delete a key has
 * been sent, no call that arrives later is admitted, on any replica; so the database is asked anew for every call. Faults, in
 * this order: `invalid_credentials`, `account_suspended`, `project_not_found`, `state_conflict` (archived project);
 * `service_unavailable` when the database cannot answer.
 */
export function createAdmission(options: { sql: Sql; keyUsage: KeyUsage; findTrained?: FindTrained }): Admit {
  const { sql, keyUsage, findTrained } = options;
  const batcher = createBatcher<AdmissionQuestion, AdmissionAnswer>({
    name: 'inference.admit',
    lanes,
    maxItems: maxQuestions,
    run: (questions) => findAdmissions(sql, questions),
  });

  return async (headers, place) => {
    const digest = bearerDigest(headers);
    if (!digest) throw noKey();
    const answer = await batcher.submit({ ...place, digest });
    const { keyId } = callerOf(answer);
    // A key counts as used also where the project refuses it.
    if (keyId !== null) keyUsage.seen(keyId);
    return withTrained(judge(answer), place.model, findTrained);
  };
}

/** The same check for a request that was authenticated before: with its key, or as the account of its session. */
export function createPrincipalAdmission(options: { sql: Sql; admit: Admit; findTrained?: FindTrained }) {
  const { sql, admit, findTrained } = options;
  return async (
    { headers, principal }: { headers: IncomingHttpHeaders; principal: Principal },
    place: AdmittedPlace,
  ): Promise<Admitted> => {
    if (principal.method === 'api_key') return admit(headers, place);
    const answer = await findAccountAdmission(sql, principal.accountId, place);
    if (!answer) throw fault('invalid_credentials');
    return withTrained(judge(answer), place.model, findTrained);
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
