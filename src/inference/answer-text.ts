import type { FastifyReply } from 'fastify';
import { type Delta, type Finished, imagesOf } from '#engine';
import { openSse } from '#http';
import { Fault, fault, type Micro, parseExactJson, quotedText } from '#kernel';
import type { ServedModel } from '#models';
import { CollectedAnswer, type NamedDelta, wireId } from './collected-answer.ts';
import type { InferenceDeps } from './deps.ts';
import { type CallRoute, repeatJson, resolveText } from './handle-call.ts';
import { type CallBounds, type CallRecord, type ModelCall, runCall } from './model-call.ts';
import type { TextRequest } from './model-request.ts';
import { firstDeltaOf, type RunEnd, watchCall } from './observe-calls.ts';
import { preparePrompt } from './prepare-prompt.ts';
import type { TextAnswer, TextCall } from './protocol.ts';
import { nothingStored } from './stored-responses.ts';
import { createTextStream, type TextStream } from './text-stream.ts';

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
type TextAnswering<Input extends TextRequest> = {
  route: TextCall<Input>;
  input: Input;
  follower: AnswerFollower | null;
};

type Answering = {
  deps: InferenceDeps;
  call: ModelCall;
  input: TextRequest;
  answer: TextAnswer;
  follower: AnswerFollower | null;
};

export function textRoute(deps: InferenceDeps, route: TextCall): CallRoute<TextRequest> {
  return {
    operation: route.operation,
    read: (body) => route.read(body),
    answer: (call, input) => answerText(deps, call, { route, input, follower: null }),
    repeat(stored, { input, reply, caller }) {
      if (!input.stream) return repeatJson(stored, { reply });
      openSse({ reply, caller }).end(route.replay(parseExactJson(stored), input));
      return reply;
    },
  };
}

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
    checkImages(model, input);
    follower?.resolved(model);
    await call.begin(model, boundsOf(model, input, follower));
    const answer = route.answer(input, { nowMs: deps.clock.nowMs(), stores: storedResponses !== null });
    const answering = { deps, call, input, answer, follower };
    return await (input.stream ? streamAnswer(answering) : sendAnswer(answering));
  } catch (error) {
    throw route.reword && error instanceof Fault ? route.reword(error) : error;
  }
}

const mostImages = 8;

/** Throws what names the first image that the model cannot read. */
function checkImages({ requested, baseModel }: ServedModel, { prompt }: TextRequest): void {
  const images = imagesOf(prompt.messages);
  const [first] = images;
  if (first && baseModel.hasVision !== true) {
    const { param } = first;
    throw fault('invalid_request', {
      param,
      message: `${param}: the model ${quotedText(requested)} reads text only; send images to a model whose capabilities have vision`,
    });
  }
  const excess = images[mostImages];
  if (excess) {
    const { param } = excess;
    throw fault('invalid_request', { param, message: `${param}: a request takes at most ${mostImages} images` });
  }
}

function boundsOf(
  { limits: { maxContextTokens } }: ServedModel,
  { prompt, sampling, addedBytes, fitsContext, choices = 1 }: TextRequest,
  follower: AnswerFollower | null,
): CallBounds {
  const maxTokens = sampling.maxTokens ?? maxContextTokens;
  return {
    promptTokens: maxContextTokens,
    maxTokens: choices * (fitsContext ? Math.min(maxTokens, maxContextTokens) : maxTokens),
    ...(addedBytes === undefined ? {} : { addedBytes }),
    ...(follower ? { promptBytes: follower.promptBytes, stop: follower.stop } : {}),
    // Few bytes may be a large image, which takes many tokens.
    ...(imagesOf(prompt.messages).length > 0 ? { promptBytes: Number.POSITIVE_INFINITY } : {}),
  };
}

async function sendAnswer(answering: Answering): Promise<string> {
  const { call, answer, follower } = answering;
  const collected = new CollectedAnswer();
  const finished = await generate(answering, { collected, stream: null });
  // Who follows an answer has it already.
  if (follower) return '';
  call.reply.type('application/json; charset=utf-8');
  return JSON.stringify(answer.collect(collected, finished));
}

async function streamAnswer(answering: Answering): Promise<FastifyReply> {
  const { call, answer, follower } = answering;
  const { request, reply } = call;
  const stream = createTextStream(call, answer.stream());
  // An answer that is stored is collected, with the same ids.
  const collected = call.hasKey || follower || answer.stored ? new CollectedAnswer() : null;
  try {
    const finished = await generate(answering, { collected, stream });
    // Who asked for the end gets one; everybody else who cancels has left.
    stream.finish(finished.reason === 'cancelled' ? { ...finished, reason: 'stop' } : finished);
  } catch (error) {
    const problem = stream.fail(error);
    // Before the first event a failure is an ordinary JSON error (interface 4.3.4).
    if (problem === null) throw error;
    follower?.failed(problem);
    request.server.faultLog.record(request, problem, 'a stream ended with an error');
    await call.failed(error, { hasBegun: true });
  }
  return reply;
}

type Outputs = {
  /** Null: nobody stores the answer. */
  collected: CollectedAnswer | null;
  /** Null: the answer is sent in one piece. */
  stream: TextStream | null;
};

/** Runs the generation; resolves when it is finished, metered and charged. */
async function generate(answering: Answering, outputs: Outputs): Promise<Finished> {
  const { deps, call, input, answer, follower } = answering;
  const watch = deps.observe && watchCall(deps.observe, { call, sampling: input.sampling, streams: input.stream });
  // What goes between two texts is no answer in a conversation, and nothing to learn one from.
  const isSaved = call.admitted.isSaved && input.prompt.suffix === undefined;
  const recording = isSaved ? deps.autoSave.record(call, input) : null;
  const { collected, stream } = outputs;
  const listeners = [
    stream?.delta,
    collected && ((delta: NamedDelta) => collected.add(delta)),
    follower && ((delta: NamedDelta) => follower.delta(delta)),
    recording?.add,
    watch && firstDeltaOf(watch),
  ].filter((each) => typeof each === 'function');
  const onDelta = (delta: Delta) => {
    const withId = named(delta, answer.callIdPrefix);
    for (const listener of listeners) listener(withId);
  };
  try {
    const finished = await run(answering, outputs, { onDelta, observed: watch && { watch, endOf } });
    recording?.finish(finished);
    return finished;
  } catch (error) {
    if (!follower?.stop.aborted || !(error instanceof Fault && error.fault === 'request_timeout')) throw error;
    // It was ended while its prompt was prepared or waited.
    call.canceled();
    const usage = { promptTokens: 0, completionTokens: 0, reasoningTokens: 0, cachedTokens: 0 };
    return { reason: 'cancelled', usage, activeMs: 0 };
  }
}

const endOf = ({ reason, usage, activeMs }: Finished): RunEnd => ({
  outcome: reason === 'cancelled' ? 'client_disconnected' : 'succeeded',
  usage,
  activeMs,
  finishReason: reason,
});

/** Calls of tools get their ids once, so that everybody names them alike. */
function named(delta: Delta, prefix: string): NamedDelta {
  return delta.type === 'tool_call' ? { ...delta, callId: wireId(prefix) } : delta;
}

type RunOptions = Pick<Parameters<typeof runCall<unknown, Finished>>[1], 'observed'> & {
  onDelta: (delta: Delta) => void;
};

function run(answering: Answering, { collected, stream }: Outputs, { onDelta, observed }: RunOptions) {
  const { deps, call, input, follower } = answering;
  const { engine } = deps;
  const { model, admitted, signal } = call;
  const { prompt, sampling } = input;
  return runCall(call, {
    observed,
    release: ({ handle }) => engine.release(handle),
    async prepare() {
      const prepared = await preparePrompt(
        engine,
        {
          target: model.target,
          prompt,
          maxTokens: sampling.maxTokens,
          scope: admitted.accountId,
          dropsOldestTurns: input.dropsOldestTurns === true,
          fitsContext: input.fitsContext === true,
        },
        signal,
      );
      stream?.prepared(prepared.promptTokens || null);
      return prepared;
    },
    async run({ handle, maxTokens }) {
      // Who follows an answer gets what there is of it when it is ended.
      const whole = stream === null && follower === null;
      const finished = await engine.generate(
        {
          handle,
          sampling: { ...sampling, maxTokens },
          choices: input.choices ?? 1,
          cacheScope: admitted.accountId,
          signal,
          whole,
        },
        onDelta,
      );
      const { activeMs, usage, reason } = finished;
      return { result: finished, run: { ...usage, activeMs, cancelled: reason === 'cancelled' } };
    },
    record: (finished) => (collected ? recordOf(answering, collected, finished) : {}),
  });
}

/** What is stored with the charge: for who follows the answer, under an `Idempotency-Key`, for later calls. */
function recordOf(
  { deps: { storedResponses }, call, answer, follower }: Answering,
  collected: CollectedAnswer,
  finished: Finished,
): CallRecord {
  const body = () => answer.collect(collected, finished);
  if (follower) return follower.record({ body: body(), finished, chargedMicro: call.costOf(finished) });
  // Half an answer, whose caller has left, is nothing to go on from.
  const stored = finished.reason === 'cancelled' ? undefined : answer.stored?.(body());
  return { body, attachment: stored ? (storedResponses?.attachment(call.admitted, stored) ?? null) : null };
}
