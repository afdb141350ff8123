import type { FastifyReply } from 'fastify';
import type { Charge } from '#billing';
import type { Sql } from '#db';
import type { Finished } from '#engine';
import { Fault } from '#kernel';
import type { ServedModel } from '#models';
import type { AttendedCall } from './attended-call.ts';
import type { Call } from './call.ts';
import { CollectedAnswer, type NamedDelta } from './collected-answer.ts';
import type { InferenceDeps } from './deps.ts';
import { resolveText } from './entry.ts';
import { generate, type Known } from './generate.ts';
import type { TextAnswer, TextCall, TextRequest } from './protocol.ts';
import { nothingStored } from './stored-responses.ts';
import { createTextStream } from './text-stream.ts';

/** An answer that is complete or was ended, before it is charged. */
export type AnswerEnd = { body: object; finished: Finished; charge: Charge };

/** Follows an answer beside its caller, and stores it. */
export type AnswerFollower = {
  /** Length of the whole prompt. */
  promptBytes: number;
  /** Aborts to end the answer. */
  stop: AbortSignal;
  /** Which model answers; before anything is prepared. */
  resolved: (model: ServedModel) => void;
  delta: (delta: NamedDelta) => void;
  /**
   * Keeps what the answer has come to, before it is charged; what it throws fails the call. `keepForKey` keeps it under
   * the `Idempotency-Key` too, in the same transaction.
   */
  keep: (end: AnswerEnd, keepForKey: (body: object, tx: Sql) => Promise<void>) => Promise<void>;
  /** Told why a stream that has begun ends badly. */
  failed: (problem: Fault) => void;
};

/** What is answered, in which protocol. */
export type TextAnswering<Wanted extends TextRequest> = {
  route: TextCall<Wanted>;
  wanted: Wanted;
  follower: AnswerFollower | null;
};

type Answering = {
  attended: AttendedCall;
  wanted: TextRequest;
  call: Call;
  answer: TextAnswer;
  follower: AnswerFollower | null;
};

/** Answers a call of a text model in one piece or as a stream, which takes the reply over. */
export async function answerText<Wanted extends TextRequest>(
  deps: InferenceDeps,
  attended: AttendedCall,
  { route, wanted: asked, follower }: TextAnswering<Wanted>,
): Promise<string | FastifyReply> {
  try {
    const wanted = route.resolve ? await route.resolve(asked, storedFor(deps, attended)) : asked;
    const model = resolveText(deps, attended.admitted, wanted.model);
    follower?.resolved(model);
    const call = attended.callFor(model, boundsOf(model, { wanted, follower }));
    const answer = route.answer(wanted, { nowMs: deps.clock.nowMs(), stores: deps.storedResponses !== null });
    const answering = { attended, wanted, call, answer, follower };
    return await (wanted.stream ? streamAnswer(deps, answering) : sendAnswer(deps, answering));
  } catch (error) {
    throw route.reword && error instanceof Fault ? route.reword(error) : error;
  }
}

function storedFor({ storedResponses }: InferenceDeps, { admitted }: AttendedCall) {
  return storedResponses?.of(admitted) ?? nothingStored;
}

function boundsOf(
  { limits: { maxContextTokens } }: ServedModel,
  { wanted, follower }: Pick<Answering, 'wanted' | 'follower'>,
) {
  const { sampling, addedBytes } = wanted;
  return {
    promptTokens: maxContextTokens,
    maxTokens: wanted.fitsContext
      ? Math.min(sampling.maxTokens ?? maxContextTokens, maxContextTokens)
      : (sampling.maxTokens ?? maxContextTokens),
    ...(addedBytes === undefined ? {} : { addedBytes }),
    ...(follower ? { promptBytes: follower.promptBytes, stop: follower.stop } : {}),
  };
}

async function sendAnswer(deps: InferenceDeps, answering: Answering): Promise<string> {
  const { attended, answer, follower } = answering;
  const collected = new CollectedAnswer();
  const finished = await run(deps, answering, {
    onDelta: toAll([(delta) => collected.add(delta), follower && ((delta) => follower.delta(delta))]),
    collected,
    onPrepared: null,
  });
  // Who follows an answer has it already.
  if (follower) return '';
  attended.reply.type('application/json; charset=utf-8');
  return JSON.stringify(answer.collect(collected, finished));
}

async function streamAnswer(deps: InferenceDeps, answering: Answering): Promise<FastifyReply> {
  const { attended, answer, follower } = answering;
  const { request, reply } = attended;
  let known: Known = { promptTokens: null };
  const stream = createTextStream(attended, { writer: answer.stream(), known: () => known });
  // What is streamed is kept whole, with the same ids.
  const collected = attended.isKept || follower || answer.stored ? new CollectedAnswer() : null;
  try {
    const finished = await run(deps, answering, {
      onDelta: toAll([
        stream.delta,
        collected && ((delta) => collected.add(delta)),
        follower && ((delta) => follower.delta(delta)),
      ]),
      collected,
      onPrepared: (prepared) => {
        known = prepared;
      },
    });
    // Who asked for the end gets one; everybody else who cancels has left.
    stream.finish(finished.reason === 'cancelled' ? { ...finished, reason: 'stop' } : finished);
  } catch (error) {
    const problem = stream.fail(error);
    // Before the first event a failure is an ordinary JSON error (interface 4.3.4).
    if (problem === null) throw error;
    follower?.failed(problem);
    request.server.faultLog.tell(request, problem, 'a stream ended with an error');
    await attended.failed(error, { hasBegun: true });
  }
  return reply;
}

type Run = {
  onDelta: (delta: NamedDelta) => void;
  /** Null: nobody keeps the answer. */
  collected: CollectedAnswer | null;
  onPrepared: ((known: Known) => void) | null;
};

async function run(deps: InferenceDeps, answering: Answering, { collected, ...how }: Run): Promise<Finished> {
  const { attended, wanted, call, answer, follower } = answering;
  const { prompt, sampling, stream: streams } = wanted;
  try {
    return await generate(deps, call, {
      ...how,
      ...{ prompt, sampling, streams, callIdPrefix: answer.callIdPrefix },
      dropsOldestTurns: wanted.dropsOldestTurns === true,
      fitsContext: wanted.fitsContext === true,
      // Who follows an answer wants what there is of it when it is ended.
      whole: !streams && !follower,
      keep: collected && keeperOf(deps, answering, (finished) => answer.collect(collected, finished)),
    });
  } catch (error) {
    if (!follower?.stop.aborted || !(error instanceof Fault && error.fault === 'request_timeout')) throw error;
    // It was ended while its prompt was prepared or waited.
    attended.canceled();
    const usage = { promptTokens: 0, completionTokens: 0, reasoningTokens: 0, cachedTokens: 0 };
    return { reason: 'cancelled', usage, activeMs: 0 };
  }
}

/** Keeps an answer before it is charged: for who follows it, under an `Idempotency-Key`, for later calls. */
function keeperOf(
  { sql, storedResponses }: InferenceDeps,
  { attended, answer, follower }: Answering,
  bodyOf: (finished: Finished) => object,
) {
  const { stored } = answer;
  if (follower)
    return (finished: Finished, charge: Charge): Promise<void> =>
      follower.keep({ body: bodyOf(finished), finished, charge }, async (body, tx) => {
        await attended.keeping(() => body)?.(finished, charge, tx);
      });
  if (!stored || !storedResponses) return attended.keeping(bodyOf);
  return async (finished: Finished, charge: Charge): Promise<void> => {
    // Half an answer, whose caller has left, is nothing to go on from.
    if (finished.reason === 'cancelled') return;
    const body = bodyOf(finished);
    const keepForKey = attended.keeping(() => body);
    if (!keepForKey) await storedResponses.keep({ response: stored(body), charge });
    else
      await sql.transaction(async (tx) => {
        await storedResponses.keep({ response: stored(body), charge }, tx);
        await keepForKey(finished, charge, tx);
      });
  };
}

/** Nearly always there are one or two listeners, and they are called for every token. */
function toAll(listeners: readonly (((delta: NamedDelta) => void) | null | false)[]) {
  const [first, ...others] = listeners.filter((each) => typeof each === 'function');
  if (first && others.length === 0) return first;
  return (delta: NamedDelta): void => {
    first?.(delta);
    for (const listener of others) listener(delta);
  };
}
