import type { FastifyInstance } from 'fastify';
import type { Finished } from '#engine';
import { Fault, fault } from '#kernel';
import { attend, type CallRoute, repeatJson } from './attend.ts';
import type { AttendedCall } from './attended-call.ts';
import { createCollector, textCompletion, wireId } from './chat-wire.ts';
import { type CompletionRequest, readCompletionRequest } from './completion.schema.ts';
import { completionsContract } from './completions.contract.ts';
import type { InferenceDeps } from './deps.ts';
import { inferencePrefix, resolveText } from './entry.ts';
import { generate } from './generate.ts';
import { createJsonAnswer } from './json-answer.ts';

/** POST P/completions: the legacy route, one prompt, one answer, never streamed. */
export function completionsRoutes(app: FastifyInstance, deps: InferenceDeps): void {
  const config = {
    operation: 'completions.create',
    access: 'admission',
    shape: 'compat',
    contract: completionsContract,
  } as const;
  const route: CallRoute<CompletionRequest> = {
    operation: config.operation,
    read: readCompletionRequest,
    answer: (call, wanted) => answer(deps, call, wanted),
    repeat: repeatJson,
  };
  app.post(`${inferencePrefix}/completions`, { config }, (request, reply) => attend(deps, { request, reply }, route));
}

async function answer(deps: InferenceDeps, call: AttendedCall, wanted: CompletionRequest) {
  const { model: requested, prompt, sampling } = wanted;
  const model = resolveText(deps, call, requested);
  const { maxContextTokens: promptTokens } = model.limits;
  const collector = createCollector();
  const head = { id: wireId('cmpl-'), created: Math.floor(deps.clock.nowMs() / 1000), model: requested };
  const completion = createJsonAnswer((end: Finished) => textCompletion(head, collector, end));
  const finished = await generate(deps, call.callFor(model, { promptTokens, maxTokens: sampling.maxTokens }), {
    prompt,
    sampling,
    onDelta: collector.add,
    streams: false,
    whole: true,
    keep: call.keeping((end) => textCompletion(head, collector, end)),
    meanwhile: completion.make,
  }).catch((error: unknown) => {
    throw namingPrompt(error);
  });
  return completion.send(call.reply, finished);
}

/** What is wrong with the messages is so with the prompt that they were made of. */
function namingPrompt(error: unknown): unknown {
  if (!(error instanceof Fault) || error.options.param !== 'messages') return error;
  return fault(error.fault, { ...error.options, param: 'prompt' });
}
