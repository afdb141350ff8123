import { wireId } from '../../collected-answer.ts';
import type { Protocol, TextCall } from '../../protocol.ts';
import { cohereChatContract } from './chat.contract.ts';
import { type CohereAnswer, cohereAnswer, eventsOfAnswer, writeCohereStream } from './chat-answer.ts';
import { readCohereChat } from './chat-request.ts';
import { cohereErrors } from './cohere-errors.ts';

/** POST P/cohere/v2/chat, JSON and SSE. */
const chatCall: TextCall = {
  kind: 'text',
  path: '/cohere/v2/chat',
  operation: 'cohere_chat.create',
  contract: cohereChatContract,
  exact: ['messages', 'tools', 'response_format'],
  read: readCohereChat,
  answer() {
    const id = wireId('chat_');
    return {
      callIdPrefix: 'call_',
      collect: (answer, finished) => cohereAnswer(id, answer, finished),
      stream: () => writeCohereStream(id),
    };
  },
  // as: only `collect` makes what is stored of this call.
  replay: (stored) => eventsOfAnswer(stored as CohereAnswer),
};

/** The chat API of Cohere, version 2. */
export const cohere: Protocol = { name: 'cohere', errors: cohereErrors, calls: [chatCall] };
