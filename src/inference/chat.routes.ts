import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Caller, watchCaller } from '#http';
import type { ServedModel } from '#models';
import type { Admitted } from './admission.ts';
import { chatContract } from './chat.contract.ts';
import { type ChatRequest, readChatRequest } from './chat.schema.ts';
import { createChatStream } from './chat-stream.ts';
import { type AnswerHead, chatCompletion, createCollector, createFrames, wireId } from './chat-wire.ts';
import type { InferenceDeps } from './deps.ts';
import { enter, inferencePrefix, promptTokensAtMost, resolveText } from './entry.ts';
import { generate } from './generate.ts';

/** POST P/chat/completions, JSON and SSE. */
export function chatRoutes(app: FastifyInstance, deps: InferenceDeps): void {
  const config = { operation: 'chat.create', access: 'admission', shape: 'compat', contract: chatContract } as const;
  app.post(`${inferencePrefix}/chat/completions`, { config }, async (request, reply) => {
    const { admitted, body } = await enter(deps.admit, request);
    const chat = readChatRequest(body);
    const model = resolveText(deps, admitted, chat.model);
    const head = { id: wireId('chatcmpl-'), created: Math.floor(deps.clock.nowMs() / 1000), model: chat.model };
    const call = { request, reply, caller: watchCaller(reply), admitted, model, chat, head };
    return chat.stream ? streamAnswer(deps, call) : sendAnswer(deps, call);
  });
}

type ChatCall = {
  request: FastifyRequest;
  reply: FastifyReply;
  caller: Caller;
  admitted: Admitted;
  model: ServedModel;
  chat: ChatRequest;
  head: AnswerHead;
};

async function sendAnswer(deps: InferenceDeps, call: ChatCall) {
  const collector = createCollector();
  const finished = await generate(deps, toCall(call), {
    prompt: call.chat.prompt,
    sampling: call.chat.sampling,
    onDelta: collector.add,
    streams: false,
  });
  return chatCompletion(call.head, collector, finished);
}

async function streamAnswer(deps: InferenceDeps, call: ChatCall): Promise<FastifyReply> {
  const frames = createFrames(call.head, call.chat.includeUsage);
  const stream = createChatStream(call.reply, call.caller, frames);
  try {
    const finished = await generate(deps, toCall(call), {
      prompt: call.chat.prompt,
      sampling: call.chat.sampling,
      onDelta: stream.delta,
      streams: true,
    });
    stream.finish(finished, call.chat.includeUsage);
  } catch (error) {
    // Before the first frame a failure is an ordinary JSON error (interface 4.3.4).
    if (!stream.opened()) throw error;
    call.request.log.warn({ err: error, code: stream.fail(error).row.code }, 'a stream ended with an error');
  }
  return call.reply;
}

function toCall({ request, caller, admitted, model, chat }: ChatCall) {
  return {
    requestId: request.id,
    operation: 'chat.create',
    admitted,
    model,
    promptTokensAtMost: promptTokensAtMost(request, model.limits.maxContextTokens),
    maxTokens: chat.sampling.maxTokens,
    signal: caller.signal,
  };
}
