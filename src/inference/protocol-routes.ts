import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { nameIgnoredFields, openSse } from '#http';
import { parseExactJson } from '#kernel';
import { createPrincipalAdmission } from './admission.ts';
import { answerEmbedding } from './answer-embedding.ts';
import { answerText } from './answer-text.ts';
import type { InferenceDeps } from './deps.ts';
import { type Enter, enterAsPrincipal } from './entry.ts';
import { type CallRoute, handleCall, repeatJson } from './handle-call.ts';
import type { EmbeddingRequest } from './model-request.ts';
import { callPrefix, type EmbeddingCall, type Protocol, type TextCall, type TextRequest } from './protocol.ts';
import { createProtocolContext } from './protocol-context.ts';

/** Registers the routes of a protocol: those that call models, and what else it has. */
export function protocolRoutes(app: FastifyInstance, deps: InferenceDeps, protocol: Protocol): void {
  for (const call of protocol.calls) {
    const { path, operation, contract, exact = [], readsBadText } = call;
    const { errors: envelope, keyHeader } = protocol;
    const json = { exact, badText: readsBadText ? 'replace' : 'refuse' } as const;
    const config = { operation, access: 'admission', envelope, contract, json } as const;
    app.post(`${callPrefix}${path}`, { config: keyHeader ? { ...config, keyHeader } : config }, handlerOf(deps, call));
  }
  protocol.routes?.(app, createProtocolContext(deps));
}

/** A call of a protocol for whoever is signed in, below `prefix`. */
export function signedInRoute(
  app: FastifyInstance,
  deps: InferenceDeps,
  { prefix, call }: { prefix: string; call: TextCall | EmbeddingCall },
): void {
  const { operation, contract, path } = call;
  const handle = handlerOf(deps, call, enterAsPrincipal(createPrincipalAdmission(deps)));
  app.post(`${prefix}${path}`, { config: { operation, contract, keepsAnswers: true } }, (request, reply) => {
    nameIgnoredFields(reply, contract.body, request.body);
    return handle(request, reply);
  });
}

function handlerOf(deps: InferenceDeps, call: TextCall | EmbeddingCall, enter?: Enter) {
  if (call.kind === 'text') {
    const route = textRoute(deps, call);
    return (request: FastifyRequest, reply: FastifyReply) => handleCall(deps, { request, reply }, route, enter);
  }
  const route = embeddingRoute(deps, call);
  return (request: FastifyRequest, reply: FastifyReply) => handleCall(deps, { request, reply }, route, enter);
}

function textRoute(deps: InferenceDeps, route: TextCall): CallRoute<TextRequest> {
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

function embeddingRoute(deps: InferenceDeps, route: EmbeddingCall): CallRoute<EmbeddingRequest> {
  return {
    operation: route.operation,
    read: route.read,
    answer: (call, input) => answerEmbedding(deps, call, { route, input }),
    repeat: repeatJson,
  };
}
