import type { TObject, TSchema } from 'typebox';
import type { FaultName } from '#kernel';

/**
 * What the published contract says about a route beyond its schemas. It stands beside the route, so that a route
 * cannot be added without its documentation; the OpenAPI documents are made from it. Texts are English; their translations
 * stand in `openapi/locales`.
 */
export type Contract = {
  /** Group of the operation, one of `tags` in the document. */
  tag: string;
  summary: string;
  description?: string;
  /** Answers other than errors, by status. */
  answers: Record<number, ContractAnswer>;
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
  /** For accounts with the role `admin` only. */
  operator?: boolean;
  /** A POST that takes `Idempotency-Key`. */
  idempotent?: boolean;
};

export type ContractAnswer = {
  description: string;
  /** None: the answer has no body. */
  schema?: TSchema;
  /** `application/json` unless it says otherwise. */
  type?: string;
  headers?: Record<string, string>;
  example?: unknown;
  /** The same answer as a stream of events, when the caller asked for it. */
  also?: readonly OtherContent[];
};

type BodyExample = { title: string; value: unknown };

export type OtherContent = {
  type: string;
  /** Of a stream of server-sent events: the JSON of one `data:` line; of a file of JSON lines: one of them. */
  event: TSchema;
  /** Of events: errors are told by an event of their own, and the last one says that it is the last; nothing follows it. */
  saysItsEnd?: boolean;
  /** The stream, as it is sent. */
  example: string;
};
