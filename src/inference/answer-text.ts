import type { FastifyReply } from 'fastify';
import type { Finished } from '#engine';
import { Fault, type Micro } from '#kernel';
import type { ServedModel } from '#models';
import { CollectedAnswer, type NamedDelta } from './collected-answer.ts';
import type { InferenceDeps } from './deps.ts';
import { resolveText } from './entry.ts';
import { generate, type Known } from './generate.ts';
import type { CallBounds, CallRecord, ModelCall } from './model-call.ts';
import type { TextAnswer, TextCall, TextRequest } from './protocol.ts';
import { nothingStored } from './stored-responses.ts';
import { createTextStream } from './text-stream.ts';

/** An answer that is complete or was ended, before it is charged. */
export type AnswerEnd = { body: object; finished: Finished; chargedMicro: Micro };

/** Follows an answer beside its caller, and stores it. */
export type AnswerFollower = {
  /** Length of the whole prompt. */
  promptBytes: number;
  /** Aborts to end the answer. */
  stop: AbortSignal;
  /** Called with the model that answers, before anything is prepared. */
  resolved: (model: ServedModel) => void;
  delta: (delta: NamedDelta) => void;
  /** What is stored of the answer, with its charge. */
  record: (end: AnswerEnd) => CallRecord;
  /** Called when a stream that has begun ends badly. */
  failed: (problem: Fault) => void;
};

/** What is answered, in which protocol. */
export type TextAnswering<Input extends TextRequest> = {
  route: TextCall<Input>;
  input: Input;
  follower: AnswerFollower | null;
};

type Answering = { call: ModelCall; input: TextRequest; answer: TextAnswer; follower: AnswerFollower | null };

/** Answers a call of a text model in one piece or as a stream, which takes the reply over. */
export async function answerText<Input extends TextRequest>(
  deps: InferenceDeps,
  call: ModelCall,
  { route, input: sent, follower }: TextAnswering<Input>,
): Promise<string | FastifyReply> {
  try {
    const { storedResponses } = deps;
    const input = route.resolve ? await route.resolve(sent, storedResponses?.of(call.admitted) ?? nothingStored) : sent;
    const model = resolveText(deps, call.admitted, input.model);
    follower?.resolved(model);
    await call.begin(model, boundsOf(model, { input, follower }));
    const answer = route.answer(input, { nowMs: deps.clock.nowMs(), stores: storedResponses !== null });
    const answering = { call, input, answer, follower };
    return await (input.stream ? streamAnswer(deps, answering) : sendAnswer(deps, answering));
  } catch (error) {
    throw route.reword && error instanceof Fault ? route.reword(error) : error;
  }
}

function boundsOf(
  { limits: { maxContextTokens } }: ServedModel,
  { input, follower }: Pick<Answering, 'input' | 'follower'>,
): CallBounds {
  const { sampling, addedBytes } = input;
  return {
    promptTokens: maxContextTokens,
    maxTokens: input.fitsContext
      ? Math.min(sampling.maxTokens ?? maxContextTokens, maxContextTokens)
      : (sampling.maxTokens ?? maxContextTokens),
    ...(addedBytes === undefined ? {} : { addedBytes }),
    ...(follower ? { promptBytes: follower.promptBytes, stop: follower.stop } : {}),
  };
}

async function sendAnswer(deps: InferenceDeps, answering: Answering): Promise<string> {
  const { call, answer, follower } = answering;
  const collected = new CollectedAnswer();
  const finished = await run(deps, answering, {
    onDelta: toAll([(delta) => collected.add(delta), follower && ((delta) => follower.delta(delta))]),
    collected,
    onPrepared: null,
  });
  // Who follows an answer has it already.
  if (follower) return '';
  call.reply.type('application/json; charset=utf-8');
  return JSON.stringify(answer.collect(collected, finished));
}

async function streamAnswer(deps: InferenceDeps, answering: Answering): Promise<FastifyReply> {
  const { call, answer, follower } = answering;
  const { request, reply } = call;
  let known: Known = { promptTokens: null };
  const stream = createTextStream(call, { writer: answer.stream(), known: () => known });
  // What is streamed is kept whole, with the same ids.
  const collected = call.hasKey || follower || answer.stored ? new CollectedAnswer() : null;
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
    await call.failed(error, { hasBegun: true });
  }
  return reply;
}

type Run = {
  onDelta: (delta: NamedDelta) => void;
  /** Null: nobody stores the answer. */
  collected: CollectedAnswer | null;
  onPrepared: ((known: Known) => void) | null;
};

async function run(deps: InferenceDeps, answering: Answering, { collected, ...how }: Run): Promise<Finished> {
  const { call, input, answer, follower } = answering;
  const { prompt, sampling, stream: streams } = input;
  try {
    return await generate(deps, call, {
      ...how,
      prompt,
      sampling,
      streams,
      callIdPrefix: answer.callIdPrefix,
      dropsOldestTurns: input.dropsOldestTurns === true,
      fitsContext: input.fitsContext === true,
      // Who follows an answer wants what there is of it when it is ended.
      whole: !streams && !follower,
      record: (finished) => (collected ? recordOf(deps, answering, { collected, finished }) : {}),
    });
  } catch (error) {
    if (!follower?.stop.aborted || !(error instanceof Fault && error.fault === 'request_timeout')) throw error;
    // It was ended while its prompt was prepared or waited.
    call.canceled();
    const usage = { promptTokens: 0, completionTokens: 0, reasoningTokens: 0, cachedTokens: 0 };
    return { reason: 'cancelled', usage, activeMs: 0 };
  }
}

/** What is stored with the charge: for who follows the answer, under an `Idempotency-Key`, for later calls. */
function recordOf(
  { storedResponses }: InferenceDeps,
  { call, answer, follower }: Answering,
  { collected, finished }: { collected: CollectedAnswer; finished: Finished },
): CallRecord {
  const body = () => answer.collect(collected, finished);
  if (follower) return follower.record({ body: body(), finished, chargedMicro: call.costOf(finished) });
  // Half an answer, whose caller has left, is nothing to go on from.
  const stored = finished.reason === 'cancelled' ? undefined : answer.stored?.(body());
  return { body, attachment: stored ? (storedResponses?.attachment(call.admitted, stored) ?? null) : null };
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
