import type { TObject, TSchema } from 'typebox';
import type { FaultName } from '#kernel';

/**
 * What the published contract says about a route beyond its schemas. It stands beside the route, in both languages, so
 * that a route cannot be added without its documentation; the OpenAPI documents are made from it.
 */
export type Contract = {
  /** Group of the operation, one of `tags` in the document. */
  tag: string;
  summary: Said;
  description?: Said;
  /** Answers other than errors, by status. */
  answers: Record<number, Answer>;
  /** Conditions of the fault catalogue that this route adds to those which every route of its access has. */
  faults?: readonly FaultName[];
  /** What the handler reads by itself, with errors of its own: documented, not validated by the server. */
  body?: TSchema;
  bodyType?: string;
  /** A request that works; several when the route can be used in clearly different ways, each with its title. */
  bodyExample?: unknown;
  bodyExamples?: readonly BodyExample[];
  query?: TObject;
  headers?: TObject;
  /** Works with a signed-in session only, or with an API key only. */
  credential?: 'session' | 'api_key';
  /** A POST that takes `Idempotency-Key`. */
  idempotent?: boolean;
};

export type Answer = {
  description: Said;
  /** None: the answer has no body. */
  schema?: TSchema;
  /** `application/json` unless it says otherwise. */
  type?: string;
  headers?: Record<string, Said>;
  example?: unknown;
  /** The same answer as a stream of events, when the caller asked for it. */
  also?: readonly OtherContent[];
};

type BodyExample = { title: Said; value: unknown };

export type OtherContent = {
  type: string;
  /** Of a stream of server-sent events: the JSON of one `data:` line; of a file of JSON lines: one of them. */
  event: TSchema;
  /** Of events: errors are told by an event of their own, and the last one says that it is the last; nothing follows it. */
  saysItsEnd?: boolean;
  /** The stream, as it is sent. */
  example: string;
};

/** A text of the contract in English and in Simplified Chinese; spreads into a schema's options. */
export type Said = { description: string; 'x-zh': string };

export const said = (english: string, chinese: string): Said => ({ description: english, 'x-zh': chinese });
