/**
 * What the folders of protocols may import, and who may import them, each with the reason. A new line needs a reason, too; one
 * that nobody uses any more must go. A protocol sees types of the engine, and nothing of whoever charges, limits or stores.
 */

/** Rooms. */
export const roomsOfProtocols: Record<string, string> = {
  kernel: 'faults, ids and JSON',
  http: 'contracts, readers of bodies, envelopes and events',
  models: 'what is left out of a body has the defaults of the catalogue; lists of models',
};

/** Rooms of which they may import types only. */
export const typesOfProtocols: Record<string, string> = {
  engine: 'prompts, deltas and usage are named there',
};

/** Files of `src/inference` that protocols and the lifecycle of calls have in common. */
export const inCommon: Record<string, string> = {
  'protocol.ts': 'what a protocol is',
  'model-request.ts': 'what every model is asked',
  'collected-answer.ts':
    'the parts of an answer, as the message of a conversation too, and ids that look like those of other services',
  'context-excess.ts': 'what is too long is reported in the terms of the protocol',
  'stored-responses.ts': 'what is stored for later calls',
};

/** What is known of each other, besides `shared`, which all of them know: `openai` is what those of OpenAI share. */
export const betweenProtocols: Record<string, string> = {
  'chat-completions -> openai': 'of OpenAI',
  'completions -> openai': 'of OpenAI',
  'embeddings -> openai': 'of OpenAI',
  'rerank -> openai': 'of OpenAI',
  'cohere-rerank -> cohere': 'errors of Cohere',
  'cohere-rerank -> rerank': 'the same request and the same results',
  'responses -> openai': 'of OpenAI',
  'tokens -> openai': 'of OpenAI',
  'tokens -> chat-completions': 'conversations are read as for a chat',
  'completions -> chat-completions': 'a prompt of the legacy route is a conversation with one message',
};

/** Files of the lifecycle that name a protocol. */
export const knowsProtocols: Record<string, string> = {
  'index.ts':
    'registers what is listed in protocols/index.ts, and is the door for rooms that speak as chat completions do',
  'principal-calls.ts': 'the playground shows answers as chat completions do',
};
