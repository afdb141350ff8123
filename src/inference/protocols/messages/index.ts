import { wireId } from '../../collected-answer.ts';
import type { Protocol, TextCall } from '../../protocol.ts';
import { anthropicErrors } from './anthropic-errors.ts';
import { eventsOfMessage, writeMessageStream } from './message-stream.ts';
import { type AnthropicMessage, messageBody } from './message-wire.ts';
import { messagesContract } from './messages.contract.ts';
import { basePath, messagesRoutes } from './messages.routes.ts';
import { type MessagesRequest, readMessagesRequest } from './messages-request.ts';
import { reword } from './reword.ts';
import { createThinkingSignatures, type ThinkingSignatures } from './thinking-signature.ts';

/** POST P/anthropic/v1/messages, JSON and SSE. */
function messagesCall(signatures: ThinkingSignatures): TextCall<MessagesRequest> {
  return {
    kind: 'text',
    path: `${basePath}/v1/messages`,
    operation: 'messages.create',
    contract: messagesContract,
    exact: ['messages', 'tools', 'output_config', 'output_format'],
    readsBadText: true,
    read: (body) => readMessagesRequest(body, signatures),
    reword,
    answer({ model, sampling: { maxTokens }, hidesThinking }) {
      const head = { id: wireId('msg_'), model, maxTokens, hidesThinking, signatures };
      return {
        callIdPrefix: 'toolu_',
        collect: (answer, finished) => messageBody(head, answer, finished),
        stream: () => writeMessageStream(head),
      };
    },
    // as: only `collect` makes what is kept of this call.
    replay: (kept) => eventsOfMessage(kept as AnthropicMessage),
  };
}

/** The Messages API of Anthropic. `secret` signs what models think. */
export function createMessagesProtocol({ secret }: { secret: Buffer }): Protocol {
  const signatures = createThinkingSignatures(secret);
  return {
    name: 'messages',
    errors: anthropicErrors,
    keyHeader: 'x-api-key',
    calls: [messagesCall(signatures)],
    routes: (app, context) => messagesRoutes(app, { context, signatures }),
  };
}
