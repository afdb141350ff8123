import type { FastifyReply } from 'fastify';
import type { Charge } from '#billing';
import type { Sql } from '#db';
import type { Finished } from '#engine';
import { Fault } from '#kernel';
import type { ServedModel } from '#models';
import type { AttendedCall } from './attended-call.ts';
import type { Call } from './call.ts';
import type { ChatRequest } from './chat.schema.ts';
import { createChatStream } from './chat-stream.ts';
import {
  type AnswerHead,
  type ChatCompletion,
  chatCompletion,
  createCollector,
  createFrames,
  type NamedDelta,
  nameCall,
  wireId,
} from './chat-wire.ts';
import type { InferenceDeps } from './deps.ts';
import { resolveText } from './entry.ts';
import { generate } from './generate.ts';
import { createJsonAnswer } from './json-answer.ts';

/** An answer that is complete or was ended, before it is charged. */
export type ChatEnd = { completion: ChatCompletion; finished: Finished; charge: Charge };

/** Follows an answer beside its caller, and stores it. */
export type ChatFollower = {
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
  keep: (end: ChatEnd, keepForKey: (body: object, tx: Sql) => Promise<void>) => Promise<void>;
  /** Told why a stream that has begun ends badly. */
  failed: (problem: Fault) => void;
};

type Chat = {
  attended: AttendedCall;
  wanted: ChatRequest;
  call: Call;
  head: AnswerHead;
  follower: ChatFollower | null;
};

/** Answers one conversation, as JSON or as a stream, which takes the reply over. */
export async function answerChat(
  deps: InferenceDeps,
  attended: AttendedCall,
  { wanted, follower }: { wanted: ChatRequest; follower: ChatFollower | null },
): Promise<string | FastifyReply> {
  const model = resolveText(deps, attended, wanted.model);
  follower?.resolved(model);
  const head = { id: wireId('chatcmpl-'), created: Math.floor(deps.clock.nowMs() / 1000), model: wanted.model };
  const { maxContextTokens: promptTokens } = model.limits;
  const bounds = { promptTokens, maxTokens: wanted.sampling.maxTokens };
  const call = attended.callFor(
    model,
    follower ? { ...bounds, promptBytes: follower.promptBytes, stop: follower.stop } : bounds,
  );
  const chat = { attended, wanted, call, head, follower };
  return await (wanted.stream ? streamAnswer(deps, chat) : sendAnswer(deps, chat));
}

async function sendAnswer(deps: InferenceDeps, chat: Chat): Promise<string> {
  const { attended, wanted, call, head, follower } = chat;
  const collector = createCollector();
  const completion = createJsonAnswer((end: Finished) => chatCompletion(head, collector, end));
  const follow = follower && ((delta: NamedDelta) => follower.delta(delta));
  const finished = await run(deps, chat, {
    onDelta: follow ? toAll(collector.add, follow) : collector.add,
    completionOf: (end) => chatCompletion(head, collector, end),
    meanwhile: follower ? null : completion.make,
    call,
    wanted,
  });
  // Who follows an answer has it already.
  return follower ? '' : completion.send(attended.reply, finished);
}

async function streamAnswer(deps: InferenceDeps, chat: Chat): Promise<FastifyReply> {
  const { attended, wanted, head, follower } = chat;
  const { request, reply } = attended;
  const stream = createChatStream(attended, createFrames(head, wanted.includeUsage));
  // What is streamed is kept whole, with the same ids.
  const collector = attended.isKept || follower ? createCollector() : null;
  const follow = follower && ((delta: NamedDelta) => follower.delta(delta));
  const others = [collector?.add, follow].filter((each) => each != null);
  try {
    const finished = await run(deps, chat, {
      onDelta: others.length > 0 ? toAll(stream.delta, ...others) : stream.delta,
      completionOf: collector && ((end) => chatCompletion(head, collector, end)),
      meanwhile: null,
      ...chat,
    });
    stream.finish(finished, wanted.includeUsage);
  } catch (error) {
    const problem = stream.fail(error);
    // Before the first frame a failure is an ordinary JSON error (interface 4.3.4).
    if (problem === null) throw error;
    follower?.failed(problem);
    request.server.faultLog.tell(request, problem, 'a stream ended with an error');
    await attended.failed(error, { hasBegun: true });
  }
  return reply;
}

type Run = {
  call: Call;
  wanted: ChatRequest;
  onDelta: (delta: NamedDelta) => void;
  /** Null: nobody keeps the answer. */
  completionOf: ((finished: Finished) => ChatCompletion) | null;
  /** See `performCall`. */
  meanwhile: ((finished: Finished) => void) | null;
};

async function run(
  deps: InferenceDeps,
  { attended, follower }: Chat,
  { call, wanted, onDelta, completionOf, meanwhile }: Run,
): Promise<Finished> {
  const { prompt, sampling, stream: streams } = wanted;
  try {
    const keep = completionOf && keeperOf(attended, { follower, completionOf });
    // Who follows an answer wants what there is of it when it is ended.
    const whole = !streams && !follower;
    return await generate(deps, call, { prompt, sampling, onDelta, streams, whole, keep, meanwhile });
  } catch (error) {
    if (!follower?.stop.aborted || !(error instanceof Fault && error.fault === 'request_timeout')) throw error;
    // It was ended while its prompt was prepared or waited.
    attended.canceled();
    const usage = { promptTokens: 0, completionTokens: 0, reasoningTokens: 0, cachedTokens: 0 };
    return { reason: 'cancelled', usage, activeMs: 0 };
  }
}

type Keeping = { follower: ChatFollower | null; completionOf: (finished: Finished) => ChatCompletion };

function keeperOf(attended: AttendedCall, { follower, completionOf }: Keeping) {
  if (!follower) return attended.keeping(completionOf);
  return (finished: Finished, charge: Charge): Promise<void> =>
    follower.keep({ completion: completionOf(finished), finished, charge }, async (body, tx) => {
      await attended.keeping(() => body)?.(finished, charge, tx);
    });
}

/** Calls of tools get their ids once, so that everybody names them alike. */
function toAll(...listeners: readonly ((delta: NamedDelta) => void)[]) {
  return (delta: NamedDelta): void => {
    const named = nameCall(delta);
    for (const listener of listeners) listener(named);
  };
}
