import type { IncomingHttpHeaders } from 'node:http';
import { createBatcher, type Sql } from '#db';
import type { Principal } from '#http';
import { type Clock, fault, isOutOfReach } from '#kernel';
import { bearerDigest, type KeyUsage } from '#keys';
import type { AliasRow, TrainedModel } from '#models';
import {
  type AdmissionQuestion,
  type AdmittedPlace,
  type FoundAdmission,
  findAccountAdmission,
  findAdmissions,
  type RepeatedQuestion,
} from './admission.store.ts';
import { type Admitted, callerOf, judge, noKey } from './admitted.ts';
import { createRecentAdmissions, type KnownAdmission, nameOf } from './recent-admissions.ts';

/** Finds the finished job behind a call, as far as the caller may use it. */
export type FindTrained = (question: {
  requested: string | null;
  alias: AliasRow | null;
  accountId: string;
}) => Promise<TrainedModel | null>;

/** One call's question, and what is known of its answer. */
export type Admission = {
  /** What was answered to the same question shortly before; null: nothing that a call may begin with. */
  expected: Admitted | null;
  /** The answer of the database, which is asked anew for every call: `expected` itself, if nothing has changed. */
  answer: Promise<Admitted>;
};

export type Admit = (headers: IncomingHttpHeaders, place: AdmittedPlace) => Admission;

/** One statement at a time: with two, batches are half as large and cost more (measured: a fifth fewer calls per second). */
const lanes = 1;
const maxQuestions = 512;
/** Calls that begin early wait for their engines meanwhile, and others for a turn of an idle event loop: some microseconds. */
const patienceTurns = 6;

/**
 * Makes the admission check of the compatible routes. The promise: once the answer to deactivate or delete a key has
 * been sent, no call that arrives later is admitted, on any replica; so the database is asked anew for every call, and what
 * it said before only says what a call may prepare meanwhile (ADR 0040). Faults, in this order:
 * `invalid_credentials`, `account_suspended`, `project_not_found`, `state_conflict` (archived project);
 * `service_unavailable` when the database cannot answer.
 */
export function createAdmission(options: {
  sql: Sql;
  keyUsage: KeyUsage;
  clock: Clock;
  findTrained?: FindTrained;
  /** Calls that have begun and are not settled yet. */
  callsUnderWay?: () => number;
}): Admit {
  const { sql, keyUsage, clock, findTrained, callsUnderWay = () => 0 } = options;
  const recent = createRecentAdmissions(clock);
  const batcher = createBatcher<RepeatedQuestion, FoundAdmission | null>({
    name: 'inference.admit',
    lanes,
    maxItems: maxQuestions,
    patienceTurns,
    underWay: callsUnderWay,
    run: (questions) => findAdmissions(sql, questions),
  });

  async function ask(question: AdmissionQuestion, name: string, known: KnownAdmission | null): Promise<Admitted> {
    let latest: KnownAdmission;
    try {
      const found = await batcher.submit({ ...question, known: known?.fingerprint ?? null });
      latest = found === null ? asKnown(known) : judged(found);
    } catch (error) {
      if (isOutOfReach(error)) recent.forgetAll();
      else recent.forget(name);
      throw error;
    }
    const { admitted } = latest;
    // What takes more than this answer to let a call in is asked for first.
    if (admitted.limited === null && !namesJob(admitted, question.model)) recent.note(name, latest);
    else recent.forget(name);
    return withTrained(admitted, question.model, findTrained);
  }

  function asKnown(known: KnownAdmission | null): KnownAdmission {
    if (known === null) throw new Error('A question that was new has no answer. This is a bug.');
    if (known.admitted.key !== null) keyUsage.seen(known.admitted.key.id);
    return known;
  }

  function judged({ answer, fingerprint }: FoundAdmission): KnownAdmission {
    const { keyId } = callerOf(answer);
    // A key is used also where there is nothing for it: it was let in, and only then refused the project.
    if (keyId !== null) keyUsage.seen(keyId);
    return { admitted: judge(answer), fingerprint };
  }

  return (headers, place) => {
    const digest = bearerDigest(headers);
    if (!digest) throw noKey();
    const question = { ...place, digest };
    const name = nameOf(question);
    const known = recent.find(name);
    return { expected: known?.admitted ?? null, answer: ask(question, name, known) };
  };
}

/** The same check for a request that was authenticated before: with its key, or as the account of its session. */
export function createPrincipalAdmission(options: { sql: Sql; admit: Admit; findTrained?: FindTrained }) {
  const { sql, admit, findTrained } = options;
  return async (
    { headers, principal }: { headers: IncomingHttpHeaders; principal: Principal },
    place: AdmittedPlace,
  ): Promise<Admitted> => {
    if (principal.method === 'api_key') return admit(headers, place).answer;
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
