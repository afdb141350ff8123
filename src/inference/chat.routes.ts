import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Delta } from '#engine';
import { attend, type CallRoute, repeatJson } from './attend.ts';
import type { AttendedCall } from './attended-call.ts';
import type { Call } from './call.ts';
import { chatContract } from './chat.contract.ts';
import { type ChatRequest, readChatRequest } from './chat.schema.ts';
import { createChatStream, repeatChatStream } from './chat-stream.ts';
import {
  type AnswerHead,
  type Collector,
  chatCompletion,
  createCollector,
  createFrames,
  type NamedDelta,
  nameCall,
  wireId,
} from './chat-wire.ts';
import type { InferenceDeps } from './deps.ts';
import { inferencePrefix, resolveText } from './entry.ts';
import { generate } from './generate.ts';

/** POST P/chat/completions, JSON and SSE. */
export function chatRoutes(app: FastifyInstance, deps: InferenceDeps): void {
  const config = { operation: 'chat.create', access: 'admission', shape: 'compat', contract: chatContract } as const;
  const route: CallRoute<ChatRequest> = {
    operation: config.operation,
    read: readChatRequest,
    answer: (call, wanted) => answer(deps, call, wanted),
    repeat: (kept, { wanted, reply, caller }) =>
      wanted.stream ? repeatChatStream(kept, { wanted, reply, caller }) : repeatJson(kept, { reply }),
  };
  app.post(`${inferencePrefix}/chat/completions`, { config }, (request, reply) =>
    attend(deps, { request, reply }, route),
  );
}

type Chat = { attended: AttendedCall; wanted: ChatRequest; call: Call; head: AnswerHead };

function answer(deps: InferenceDeps, attended: AttendedCall, wanted: ChatRequest): Promise<unknown> {
  const model = resolveText(deps, attended.admitted, wanted.model);
  const head = { id: wireId('chatcmpl-'), created: Math.floor(deps.clock.nowMs() / 1000), model: wanted.model };
  const { maxContextTokens: promptTokens } = model.limits;
  const call = attended.callFor(model, { promptTokens, maxTokens: wanted.sampling.maxTokens });
  const chat = { attended, wanted, call, head };
  return wanted.stream ? streamAnswer(deps, chat) : sendAnswer(deps, chat);
}

async function sendAnswer(deps: InferenceDeps, { attended, wanted, call, head }: Chat) {
  const collector = createCollector();
  const finished = await generate(deps, call, {
    prompt: wanted.prompt,
    sampling: wanted.sampling,
    onDelta: collector.add,
    streams: false,
    keep: attended.keeping((end) => chatCompletion(head, collector, end)),
  });
  return chatCompletion(head, collector, finished);
}

async function streamAnswer(deps: InferenceDeps, { attended, wanted, call, head }: Chat): Promise<FastifyReply> {
  const { request, reply, caller } = attended;
  const stream = createChatStream(reply, caller, createFrames(head, wanted.includeUsage));
  // What is streamed is kept whole, with the same ids.
  const collector = attended.isKept ? createCollector() : null;
  try {
    const finished = await generate(deps, call, {
      prompt: wanted.prompt,
      sampling: wanted.sampling,
      onDelta: collector ? toBoth(stream, collector) : stream.delta,
      streams: true,
      keep: collector && attended.keeping((end) => chatCompletion(head, collector, end)),
    });
    stream.finish(finished, wanted.includeUsage);
  } catch (error) {
    // Before the first frame a failure is an ordinary JSON error (interface 4.3.4).
    if (!stream.opened()) throw error;
    request.log.warn({ err: error, code: stream.fail(error).row.code }, 'a stream ended with an error');
    await attended.failed(error, { hasBegun: true });
  }
  return reply;
}

function toBoth(stream: { delta: (delta: NamedDelta) => void }, collector: Collector) {
  return (delta: Delta): void => {
    const named = nameCall(delta);
    stream.delta(named);
    collector.add(named);
  };
}
