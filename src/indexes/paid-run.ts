import type { FastifyReply } from 'fastify';
import { boundOf, type Calls, type CostPace, type OpenCall, tooFewCredits } from '#calls';
import type { Sql } from '#db';
import { type Principal, whyItEnded } from '#http';
import { fault, isUnavailableFault, type Micro } from '#kernel';
import { limitedSubjectsOf } from '#limits';
import type { DatasetIndex } from './dataset-index.ts';

export type PaidRunDeps = {
  sql: Sql;
  calls: Pick<Calls, 'open'>;
  pace: (baseModelId: string) => CostPace;
};

export type PaidRunRequest = {
  principal: Principal;
  requestId: string;
  operation: string;
  index: DatasetIndex;
  promptTokensAtMost: number;
  /** Aborted when nobody waits for the answer any more. */
  signal: AbortSignal;
  reply: Pick<FastifyReply, 'headers'>;
  /** The answer is stored under an `Idempotency-Key`: what is written is committed just before it is sent. */
  hasKey: boolean;
};

export type EmbeddingUsage = { activeMs: number; promptTokens: number };

/**
 * A call of the owner that embeds and then does something with it: like a call of P/embeddings it is held for, limited and
 * charged by active time, at the rate that was frozen with the index. `finish` writes what is to be written and calls
 * `pay` in the same transaction; until then nothing is charged, and what fails costs nothing. Where nobody knows whether that
 * transaction was committed, it throws `ambiguous_transport`.
 */
export async function performPaid<Worked extends { spent: EmbeddingUsage }, Result>(
  deps: PaidRunDeps,
  request: PaidRunRequest,
  {
    work,
    finish,
  }: {
    work: () => Promise<Worked>;
    finish: (worked: Worked, pay: (tx: Sql) => Promise<Micro>) => Promise<Result>;
  },
): Promise<Result> {
  const { principal, requestId, operation, index, signal, hasKey } = request;
  const { accountId } = principal;
  // The key has a row in `calls` under the id of the request.
  const id = hasKey ? `${requestId}/run` : requestId;
  const call = deps.calls.open({ id, operation, target: { accountId, project: null, model: index.model, key: null } });
  let hasPaid = false;
  try {
    await begin(deps, request, call);
    const worked = await work();
    return await finish(worked, async (tx) => {
      const micro = await call.endWithin(tx, chargeOf(request, worked.spent, call.heldMicro));
      // What is stored under a key is committed later, and whoever sends it again learns whether it was.
      hasPaid = !hasKey;
      return micro;
    });
  } catch (error) {
    if (hasPaid && isUnavailableFault(error)) throw fault('ambiguous_transport', { cause: error });
    throw whyItEnded(error, signal);
  } finally {
    await call.close();
  }
}

async function begin(
  { sql, pace }: PaidRunDeps,
  { principal, index, promptTokensAtMost, reply }: PaidRunRequest,
  call: OpenCall,
): Promise<void> {
  const heldMicro = boundOf({
    promptTokensAtMost,
    maxTokens: 0,
    pace: pace(index.baseModelId),
    rateMicroPerMinute: index.queryRateMicroPerMinute,
  });
  const subjects = await limitedSubjectsOf(sql, principal);
  const limits = subjects.length === 0 ? null : subjects;
  const begun = await call.begin({ keyId: principal.keyId, heldMicro, limits, idempotency: null });
  if (begun.state === 'answered') throw new Error('A call without a key has an answer. This is a bug.');
  reply.headers(begun.headers);
  if (begun.state === 'insufficient')
    throw tooFewCredits('This call', { required: heldMicro, available: begun.availableMicro });
}

function chargeOf({ principal, requestId, index }: PaidRunRequest, spent: EmbeddingUsage, heldMicro: Micro) {
  return {
    type: 'inference',
    requestId,
    keyId: principal.keyId,
    keyName: principal.keyName,
    projectId: index.projectId,
    modelRequested: index.model,
    modelServed: index.baseModelId,
    modelRevision: index.modelRevision,
    activeMs: spent.activeMs,
    rateMicroPerMinute: index.queryRateMicroPerMinute,
    priceVersion: index.priceVersion,
    heldMicro,
    usage: { promptTokens: spent.promptTokens, completionTokens: 0 },
    outcome: 'succeeded',
  } as const;
}
