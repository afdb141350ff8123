import { openAiErrors } from '#http';
import { createTextSeal } from '#kernel';
import type { Protocol, TextCall } from '../../protocol.ts';
import { answerResponse } from './answer.ts';
import { eventsOf } from './events.ts';
import { type ResponsesRequest, readResponsesRequest } from './request.ts';
import type { ResponseBody } from './response-body.ts';
import { responsesContract } from './responses.contract.ts';
import { reword } from './reword.ts';
import { storedRoutes } from './stored.routes.ts';
import { withStored } from './stored-input.ts';

/** OpenAI's Responses API. With `secret` it seals the reasoning that clients send back. */
export function createResponsesProtocol({ secret }: { secret: Buffer }): Protocol {
  const seal = createTextSeal(secret, 'reasoning');
  const create: TextCall<ResponsesRequest> = {
    kind: 'text',
    path: '/openai/v1/responses',
    operation: 'responses.create',
    contract: responsesContract,
    exact: ['tools', 'text'],
    readsBadText: true,
    read: (body) => readResponsesRequest(body, seal),
    resolve: (request, stored) => withStored(request, stored, seal),
    reword,
    answer: (request, how) => answerResponse(request, { ...how, seal }),
    // as: only `collect` makes what is kept of this call.
    replay: (kept) => eventsOf(kept as ResponseBody).join(''),
  };
  return {
    name: 'responses',
    errors: openAiErrors,
    calls: [create],
    routes: (app, context) => storedRoutes(app, context, seal),
  };
}
