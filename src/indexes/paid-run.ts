import type { FastifyReply } from 'fastify';
import { type Billing, boundOf, type CostPace, chargeWork, tooFewCredits } from '#billing';
import type { Sql } from '#db';
import { type Principal, whyItEnded } from '#http';
import { fault, isUnavailableFault, type Micro } from '#kernel';
import { type Limiter, limitedSubjectsOf } from '#limits';
import type { DatasetIndex } from './dataset-index.ts';

export type PaidDeps = {
  sql: Sql;
  billing: Pick<Billing, 'holdForWork' | 'endWork' | 'leaveWork'>;
  limiter: Pick<Limiter, 'enter'>;
  pace: (baseModelId: string) => CostPace;
};

export type PaidCall = {
  principal: Principal;
  requestId: string;
  /** Of the route. */
  operation: string;
  index: DatasetIndex;
  promptTokensAtMost: number;
  /** Aborted when nobody waits for the answer any more. */
  signal: AbortSignal;
  reply: Pick<FastifyReply, 'headers' | 'raw'>;
  /** The answer is kept under an `Idempotency-Key`: what is written is committed just before it is sent. */
  isKept: boolean;
};

/** What a call has made the model do. */
export type Spent = { activeMs: number; promptTokens: number };

/**
 * A call of the owner that embeds and then does something with it: like a call of P/embeddings it is held for, limited and
 * charged by active time, at the rate that was frozen with the index. `finish` writes what is to be written and calls
 * `pay` in the same transaction; until then nothing is charged, and what fails costs nothing. Where nobody knows whether that
 * transaction was committed, it throws `ambiguous_transport`.
 */
export async function performPaid<Worked extends { spent: Spent }, Result>(
  deps: PaidDeps,
  call: PaidCall,
  {
    work,
    finish,
  }: {
    work: () => Promise<Worked>;
    finish: (worked: Worked, pay: (tx: Sql) => Promise<Micro>) => Promise<Result>;
  },
): Promise<Result> {
  const { billing, pace } = deps;
  const { principal, requestId, index, promptTokensAtMost, signal, isKept } = call;
  const { accountId } = principal;
  const heldMicro = boundOf({
    promptTokensAtMost,
    maxTokens: 0,
    pace: pace(index.baseModelId),
    rateMicroPerMinute: index.queryRateMicroPerMinute,
  });
  const pass = await letIn(deps, call, heldMicro);
  let hasPaid = false;
  try {
    await hold(billing, { requestId, accountId, micro: heldMicro });
    const worked = await work();
    const result = await finish(worked, async (tx) => {
      const micro = await pay(tx, { call, heldMicro, spent: worked.spent });
      // What is kept is committed later, and whoever sends it again learns whether it was.
      hasPaid = !isKept;
      return micro;
    });
    billing.leaveWork({ requestId, accountId });
    await seeOut(pass, call);
    return result;
  } catch (error) {
    await billing.endWork({ requestId, accountId });
    if (hasPaid && isUnavailableFault(error)) {
      await pass?.setAside();
      throw fault('ambiguous_transport', { cause: error });
    }
    await pass?.leave();
    throw whyItEnded(error, signal);
  }
}

type Pass = Awaited<ReturnType<Limiter['enter']>>;

/** Null: neither the key nor the account has limits. */
async function letIn({ sql, limiter }: PaidDeps, call: PaidCall, micro: Micro): Promise<Pass | null> {
  const subjects = await limitedSubjectsOf(sql, call.principal);
  if (subjects.length === 0) return null;
  const pass = await limiter.enter({ requestId: call.requestId, micro, subjects });
  call.reply.headers(pass.headers);
  return pass;
}

/** The limits look at what was charged, which nobody sees before it is committed: of a kept answer, as it is sent. */
async function seeOut(pass: Pass | null, { isKept, reply }: PaidCall): Promise<void> {
  if (isKept && !reply.raw.destroyed) reply.raw.once('close', () => void pass?.leave());
  else await pass?.leave();
}

type HoldRequest = Parameters<Billing['holdForWork']>[0];

async function hold(billing: PaidDeps['billing'], request: HoldRequest): Promise<void> {
  if (request.micro === 0n) return;
  const answer = await billing.holdForWork(request);
  if (answer !== 'held')
    throw tooFewCredits('This call', { required: request.micro, available: answer.refused.availableMicro });
}

function pay(tx: Sql, { call, heldMicro, spent }: { call: PaidCall; heldMicro: Micro; spent: Spent }): Promise<Micro> {
  const { principal, requestId, operation, index } = call;
  return chargeWork(tx, {
    type: 'inference',
    requestId,
    accountId: principal.accountId,
    keyId: principal.keyId,
    keyName: principal.keyName,
    projectId: index.projectId,
    operation,
    modelRequested: index.model,
    modelServed: index.baseModelId,
    modelRevision: index.modelRevision,
    activeMs: spent.activeMs,
    rateMicroPerMinute: index.queryRateMicroPerMinute,
    priceVersion: index.priceVersion,
    heldMicro,
    usage: { promptTokens: spent.promptTokens, completionTokens: 0 },
    holdId: requestId,
    outcome: 'succeeded',
  });
}
