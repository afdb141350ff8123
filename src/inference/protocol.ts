import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Finished } from '#engine';
import type { Contract, ErrorEnvelope } from '#http';
import type { Fault } from '#kernel';
import type { HostedModel } from '#models';
import type { CollectedAnswer, NamedDelta } from './collected-answer.ts';
import type { EmbeddingAnswer, EmbeddingsRequest, RerankAnswer, RerankRequest, TextRequest } from './model-request.ts';
import type { NewStoredResponse, StoredResponses } from './stored-responses.ts';

/**
 * A protocol that clients speak: its routes, and how requests are read and answers written. It knows nothing of engines,
 * credits or admission, and what takes a call through those knows no protocol. A protocol is one folder in `protocols/` and
 * one line in `protocols/index.ts`.
 */
export type Protocol = {
  name: string;
  /** How errors are reported, those before and those within an answer. */
  errors: ErrorEnvelope;
  /** A header field that may hold the key in the place of `authorization`. */
  keyHeader?: 'x-api-key';
  /** Calls of models. */
  calls: readonly ProtocolCall[];
  /** Registers its further routes. */
  routes?: (app: FastifyInstance, context: ProtocolContext) => void;
};

/** In front of the paths of all protocols. */
export const callPrefix = '/api/projects/:owner/:project';

/** What every call of a model says about its route. */
type CallPath = {
  /** Behind `callPrefix`. */
  path: string;
  /** As in `chat.create`: its name in logs, metrics and the published contract. */
  operation: string;
  contract: Contract;
  /** Fields of the body whose numbers keep their digits, as in `tools`. */
  exact?: readonly string[];
  /** Of texts that cannot be stored (NUL, half of a surrogate pair) the rest is read, in place of a refusal. */
  readsBadText?: boolean;
};

/** A call that is answered by a text model. (Methods, so that calls with requests of their own stand in one list.) */
export type TextCall<Input extends TextRequest = TextRequest> = CallPath & {
  kind: 'text';
  /** Reads the body; throws what is wrong with it. */
  read(body: unknown): Input;
  /** Adds what earlier calls have stored, when the caller was let in. */
  resolve?(input: Input, stored: StoredResponses): Promise<Input>;
  /** Says in the terms of the protocol why a call was refused (see `contextExcessOf`). */
  reword?(problem: Fault): Fault;
  /** `stores`: whether answers are stored beyond their calls here. */
  answer(input: Input, how: { nowMs: number; stores: boolean }): TextAnswer;
  /** Streams once more what `collect` made, from the first event to the end. */
  replay(stored: unknown, input: Input): string;
};

/** The answer to one call. */
export type TextAnswer = {
  /** Begins the ids of tool calls. */
  callIdPrefix: 'call_' | 'toolu_';
  /** The body of the answer in one piece. */
  collect: (answer: CollectedAnswer, finished: Finished) => object;
  /** Writes the answer as a stream, whose events add up to what `collect` makes. */
  stream: () => StreamWriter;
  /** What is stored of the answer beyond its call, of the body that `collect` made; left out: nothing is. */
  stored?: (body: object) => NewStoredResponse;
};

/** Writes one stream of server-sent events. Each method gives what is to be sent, with the empty lines that end events. */
export type StreamWriter = {
  /** Before the first delta. `promptTokens`: null where nobody has counted yet. */
  begin: (known: { promptTokens: number | null }) => string;
  delta: (delta: NamedDelta) => string;
  /** The good end, with whatever ends a stream of the protocol. */
  end: (finished: Finished) => string;
  /** The bad end: nothing that a client could take for the end of a complete answer. */
  fail: (problem: Fault, requestId: string) => string;
  /** Keeps the connection alive while the model is silent; left out: a comment. */
  ping?: string;
};

/** A call that is answered by an embedding model. */
export type EmbeddingCall = CallPath & {
  kind: 'embedding';
  read: (body: unknown) => EmbeddingsRequest;
  /** The body of the answer. */
  collect: (input: EmbeddingsRequest, answer: EmbeddingAnswer) => object;
};

/** A call that is answered by a reranker. */
export type RerankCall = CallPath & {
  kind: 'rerank';
  read: (body: unknown) => RerankRequest;
  /** The body of the answer. */
  collect: (input: RerankRequest, answer: RerankAnswer) => object;
};

export type ProtocolCall = TextCall | EmbeddingCall | RerankCall;

/** What is counted of a request. */
type Counted = Pick<TextRequest, 'model' | 'prompt'>;

/** What is made tokens: a conversation, or a text. */
export type Tokenizable = { model: string } & (
  | { prompt: TextRequest['prompt'] & { addsGenerationPrompt: boolean } }
  | { text: string; addSpecialTokens: boolean }
);

/** What a protocol's further routes may ask for. */
export type ProtocolContext = {
  /** Lets the caller of a project in, with a key; throws what refuses him. */
  admit: (request: FastifyRequest) => Promise<void>;
  /** The hosted models that the caller may call. */
  listModels: (request: FastifyRequest) => Promise<HostedModel[]>;
  /** The tokens of a prompt, as a call would be charged for them. Free, and limited in number. */
  countPrompt: (
    exchange: { request: FastifyRequest; reply: FastifyReply },
    read: (body: unknown) => Counted | Promise<Counted>,
  ) => Promise<number>;
  /** Tokens of what is sent, and the longest context of the model. Free, and limited in number. */
  tokenize: (
    exchange: { request: FastifyRequest; reply: FastifyReply },
    read: (body: unknown) => Tokenizable,
  ) => Promise<{ tokens: number[]; maxContextTokens: number }>;
  /** The text of tokens, as limited. */
  detokenize: (
    exchange: { request: FastifyRequest; reply: FastifyReply },
    read: (body: unknown) => { model: string; tokens: number[] },
  ) => Promise<string>;
  /** What the caller has stored in the project. */
  stored: (request: FastifyRequest) => Promise<StoredResponses>;
};
