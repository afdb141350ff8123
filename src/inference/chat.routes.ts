import type { FastifyInstance, FastifyReply } from 'fastify';
import { type Attended, attend, type CallRoute, repeatJson } from './attend.ts';
import type { Call } from './call.ts';
import { chatContract } from './chat.contract.ts';
import { type ChatRequest, readChatRequest } from './chat.schema.ts';
import { createChatStream, repeatChatStream } from './chat-stream.ts';
import { type AnswerHead, chatCompletion, createCollector, createFrames, nameCall, wireId } from './chat-wire.ts';
import type { InferenceDeps } from './deps.ts';
import { inferencePrefix, resolveText } from './entry.ts';
import { generate } from './generate.ts';

/** POST P/chat/completions, JSON and SSE. */
export function chatRoutes(app: FastifyInstance, deps: InferenceDeps): void {
  const config = { operation: 'chat.create', access: 'admission', shape: 'compat', contract: chatContract } as const;
  const route: CallRoute<ChatRequest> = {
    operation: config.operation,
    read: readChatRequest,
    answer: (attended) => answer(deps, attended),
    repeat: (kept, { wanted, reply, caller }) =>
      wanted.stream ? repeatChatStream(kept, { wanted, reply, caller }) : repeatJson(kept, { reply }),
  };
  app.post(`${inferencePrefix}/chat/completions`, { config }, (request, reply) =>
    attend(deps, { request, reply }, route),
  );
}

type ChatCall = { attended: Attended<ChatRequest>; call: Call; head: AnswerHead };

function answer(deps: InferenceDeps, attended: Attended<ChatRequest>): Promise<unknown> {
  const { admitted, wanted, callFor } = attended;
  const model = resolveText(deps, admitted, wanted.model);
  const head = { id: wireId('chatcmpl-'), created: Math.floor(deps.clock.nowMs() / 1000), model: wanted.model };
  const { maxContextTokens: promptTokens } = model.limits;
  const call = callFor(model, { promptTokens, maxTokens: wanted.sampling.maxTokens });
  return wanted.stream ? streamAnswer(deps, { attended, call, head }) : sendAnswer(deps, { attended, call, head });
}

async function sendAnswer(deps: InferenceDeps, { attended, call, head }: ChatCall) {
  const { wanted, keep } = attended;
  const collector = createCollector();
  const finished = await generate(deps, call, {
    prompt: wanted.prompt,
    sampling: wanted.sampling,
    onDelta: collector.add,
    streams: false,
    keep: keep && ((end, charge) => keep(chatCompletion(head, collector, end), charge)),
  });
  return chatCompletion(head, collector, finished);
}

async function streamAnswer(deps: InferenceDeps, { attended, call, head }: ChatCall): Promise<FastifyReply> {
  const { request, reply, caller, wanted, keep, failed } = attended;
  const stream = createChatStream(reply, caller, createFrames(head, wanted.includeUsage));
  // What is streamed is kept whole, with the same ids.
  const collector = keep && createCollector();
  try {
    const finished = await generate(deps, call, {
      prompt: wanted.prompt,
      sampling: wanted.sampling,
      onDelta: collector
        ? (delta) => {
            const named = nameCall(delta);
            stream.delta(named);
            collector.add(named);
          }
        : stream.delta,
      streams: true,
      keep: keep && collector && ((end, charge) => keep(chatCompletion(head, collector, end), charge)),
    });
    stream.finish(finished, wanted.includeUsage);
  } catch (error) {
    // Before the first frame a failure is an ordinary JSON error (interface 4.3.4).
    if (!stream.opened()) throw error;
    request.log.warn({ err: error, code: stream.fail(error).row.code }, 'a stream ended with an error');
    await failed(error);
  }
  return reply;
}
