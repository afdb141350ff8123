import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { nameIgnoredFields } from '#http';
import { createPrincipalAdmission } from './admission.ts';
import { embeddingRoute } from './answer-embedding.ts';
import { rerankRoute } from './answer-rerank.ts';
import { textRoute } from './answer-text.ts';
import type { InferenceDeps } from './deps.ts';
import { type AdmitCall, admitWithPrincipal, type CallRoute, handleCall } from './handle-call.ts';
import { callPrefix, type Protocol, type ProtocolCall } from './protocol.ts';
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
  { prefix, call }: { prefix: string; call: ProtocolCall },
): void {
  const { operation, contract, path } = call;
  const handle = handlerOf(deps, call, admitWithPrincipal(createPrincipalAdmission(deps)));
  app.post(`${prefix}${path}`, { config: { operation, contract, keepsAnswers: true } }, (request, reply) => {
    nameIgnoredFields(reply, contract.body, request.body);
    return handle(request, reply);
  });
}

function handlerOf(deps: InferenceDeps, call: ProtocolCall, admit?: AdmitCall) {
  const handle =
    <Input>(route: CallRoute<Input>) =>
    (request: FastifyRequest, reply: FastifyReply) =>
      handleCall(deps, { request, reply }, route, admit);
  switch (call.kind) {
    case 'text':
      return handle(textRoute(deps, call));
    case 'embedding':
      return handle(embeddingRoute(deps, call));
    case 'rerank':
      return handle(rerankRoute(deps, call));
  }
}
