import { checkConnection, reportAnswer } from './connection.ts';
import { fetchWithEarlyResponse } from './early-responses.ts';
import { parseExactJson } from './exact-json.ts';
import type { Routes } from './generated/contract.ts';
import { basePath } from './page-settings.ts';
import { lostConnection, Problem, problemOf, readBody } from './problem.ts';
import { csrfToken, renewSession } from './session.ts';
import { singleFlight } from './single-flight.ts';

export type RouteName = keyof Routes;
export type ResponseOf<Name extends RouteName> = Routes[Name]['response'];

/**
 * A part of a request. It must be left out where the route has none, and may be where all of its fields are optional.
 */
type Part<Key extends string, Value> = [Value] extends [undefined]
  ? { [K in Key]?: never }
  : Record<never, never> extends Value
    ? { [K in Key]?: Value }
    : { [K in Key]: Value };

/** Filters that are undefined are not sent. */
type Unset<Query> = { [K in keyof Query]: Query[K] | undefined };

type PathFields<Name extends string> = Name extends `${string}{${infer Field}}${infer Rest}`
  ? Field | PathFields<Rest>
  : never;

type QueryOf<Route> = Route extends { query: infer Query } ? Unset<Query> : undefined;
type BodyOf<Route> = Route extends { body: infer Body } ? Body : undefined;

export type CallOptions<Name extends RouteName> = Part<'path', Record<PathFields<Name>, string>> &
  Part<'query', QueryOf<Routes[Name]>> &
  Part<'body', BodyOf<Routes[Name]>> & {
    signal?: AbortSignal | undefined;
    /** Makes it safe to send a creation again. */
    idempotencyKey?: string | undefined;
  };

type Arguments<Name extends RouteName> =
  Record<never, never> extends CallOptions<Name> ? [options?: CallOptions<Name>] : [options: CallOptions<Name>];

/**
 * Calls a route of the API: `call('PATCH /api/v1/keys/{key_id}/activate', { path: { key_id } })`. Types come from the
 * published contract.
 *
 * @throws {Problem} for every failure, also when there is no response.
 */
export function call<Name extends RouteName>(route: Name, ...[options]: Arguments<Name>): Promise<ResponseOf<Name>> {
  return fetchRoute(route, options ?? {});
}

type LooseOptions = {
  path?: Record<string, unknown> | undefined;
  query?: Record<string, unknown> | undefined;
  body?: unknown;
  signal?: AbortSignal | undefined;
  idempotencyKey?: string | undefined;
  headers?: Record<string, string>;
};

/** Like `call`, for callers that are generic themselves. */
export function fetchRoute<Name extends RouteName>(route: Name, options: LooseOptions): Promise<ResponseOf<Name>> {
  return singleFlight(options.idempotencyKey, async () => {
    const response = await send(route, options);
    // as: the contract tests of the server check the shape.
    return (response.status === 204 ? null : await readBody(response.text().then(parseExactJson))) as ResponseOf<Name>;
  });
}

/** Of the projects: calls of models, which are listed as requests. */
const callRoute = /^POST .*\/(\{chat_id\}\/messages|\{message_id\}\/retry|embeddings|rerank)$/;

/** The raw response, for streams and files. Throws a `Problem` unless it succeeded. */
export async function send(route: RouteName, options: LooseOptions): Promise<Response> {
  const response = await request(route, options);
  if (response.ok) return response;
  const isCall = callRoute.test(route);
  const problem = await problemOf(response, isCall);
  // Another tab signed in again, so the session and its token are new.
  if (problem.param !== 'x-fnf-csrf') throw problem;
  await renewSession();
  const again = await request(route, options);
  if (again.ok) return again;
  throw await problemOf(again, isCall);
}

async function request(route: RouteName, { path, query, body, signal, idempotencyKey, headers }: LooseOptions) {
  const [method = '', template = ''] = route.split(' ');
  const isChange = method !== 'GET';
  const address = basePath() + fill(template, path ?? {}) + queryText(query ?? {});
  const ask = isChange ? fetch : fetchWithEarlyResponse;
  try {
    const response = await ask(address, {
      method,
      credentials: 'same-origin',
      headers: {
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(isChange ? { 'x-fnf-csrf': csrfToken() } : {}),
        ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
        ...headers,
      },
      body: body === undefined ? null : JSON.stringify(body),
      signal: signal ?? null,
    });
    reportAnswer();
    return response;
  } catch (error) {
    if (signal?.aborted || error instanceof Problem) throw error;
    checkConnection();
    throw lostConnection();
  }
}

function fill(template: string, values: Record<string, unknown>): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])));
}

function queryText(query: Record<string, unknown>): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== '');
  if (given.length === 0) return '';
  return `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}

export function newIdempotencyKey(): string {
  // Not randomUUID: browsers have it over HTTPS only.
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
