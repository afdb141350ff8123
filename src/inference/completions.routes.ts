import type { FastifyInstance } from 'fastify';
import { watchCaller } from '#http';
import { createCollector, textCompletion, wireId } from './chat-wire.ts';
import { readCompletionRequest } from './completion.schema.ts';
import { completionsContract } from './completions.contract.ts';
import type { InferenceDeps } from './deps.ts';
import { enter, inferencePrefix, promptTokensAtMost, resolveText } from './entry.ts';
import { generate } from './generate.ts';

/** POST P/completions: the legacy route, one prompt, one answer, never streamed. */
export function completionsRoutes(app: FastifyInstance, deps: InferenceDeps): void {
  const config = {
    operation: 'completions.create',
    access: 'admission',
    shape: 'compat',
    contract: completionsContract,
  } as const;
  app.post(`${inferencePrefix}/completions`, { config }, async (request, reply) => {
    const { admitted, body } = await enter(deps.admit, request);
    const { model: requested, prompt, sampling } = readCompletionRequest(body);
    const model = resolveText(deps, admitted, requested);
    const collector = createCollector();
    const call = {
      requestId: request.id,
      operation: 'completions.create',
      admitted,
      model,
      promptTokensAtMost: promptTokensAtMost(request, model.limits.maxContextTokens),
      maxTokens: sampling.maxTokens,
      signal: watchCaller(reply).signal,
    };
    const finished = await generate(deps, call, { prompt, sampling, onDelta: collector.add, streams: false });
    const head = { id: wireId('cmpl-'), created: Math.floor(deps.clock.nowMs() / 1000), model: requested };
    return textCompletion(head, collector, finished);
  });
}
