import type { RegisteredRoute } from '#http';
import type { Asked, Place } from './matrix.ts';

export type Answer = {
  status: number;
  code: string | null;
  text: string;
  /** Everything that it says: headers and body. */
  told: string;
  /** The same without what names this one request, and with the caller's own words taken out. */
  gist: () => string;
};

export type Question = {
  origin: string;
  route: Pick<RegisteredRoute, 'method' | 'path'>;
  place: Place;
  asked: Asked;
  credential: Record<string, string>;
};

/** Asks one route. Redirections are answers, and are not followed. */
export async function ask(question: Question): Promise<Answer> {
  const { origin, route, asked, credential } = question;
  const params = paramsOf(question);
  const query = new URLSearchParams(asked.query).toString();
  const body = bodyOf(route.method, asked.body);
  const response = await fetch(`${origin}${fill(route.path, params)}${query && `?${query}`}`, {
    method: route.method,
    headers: { ...credential, ...asked.headers, ...(body === null ? {} : { 'content-type': 'application/json' }) },
    body,
    redirect: 'manual',
    signal: AbortSignal.timeout(180_000),
  });
  const text = await response.text();
  const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`);
  const told = [...headers, text].join('\n');
  return { status: response.status, code: codeIn(text), text, told, gist: () => gistOf(response, text, params) };
}

/** Names of the parameters of a path, in order. */
export function parametersOf(path: string): string[] {
  return [...path.matchAll(/:([A-Za-z]+)|(\*)/g)].map(([, name, rest]) => name ?? rest ?? '');
}

/** The values of a question's path parameters: what it says, otherwise the place. */
export function paramsOf({ route, place, asked }: Pick<Question, 'route' | 'place' | 'asked'>): Record<string, string> {
  const own: Record<string, string> = { owner: place.ownerSlug, project: place.project, ...asked.params };
  return Object.fromEntries(
    parametersOf(route.path).map((name) => {
      const value = own[name];
      if (value === undefined) throw new Error(`The row does not say what ${name} is in ${route.path}.`);
      return [name, value];
    }),
  );
}

function fill(path: string, params: Record<string, string>): string {
  return path.replace(/:([A-Za-z]+)|(\*)/g, (_, name, rest) => encodeURIComponent(params[name ?? rest] ?? ''));
}

function bodyOf(method: string, body: unknown): string | null {
  if (method === 'GET') return null;
  return body === undefined ? null : JSON.stringify(body);
}

function codeIn(text: string): string | null {
  const error = fieldOf(parsed(text), 'error');
  // Errors of Anthropic's interface have a type only.
  const code = fieldOf(error, 'code') ?? fieldOf(error, 'type');
  return typeof code === 'string' ? code : null;
}

/** Differ between any two requests, or count them. */
const restless = /^(date|x-request-id|request-id|content-length|connection|keep-alive|ratelimit-.*|server-timing)$/;

function gistOf(response: Response, text: string, params: Record<string, string>): string {
  const headers = [...response.headers]
    .filter(([name]) => !restless.test(name))
    .map(([name, value]) => `${name}: ${value}`);
  const said = text.replace(/"(request_id|id)":"req_[^"]*"/, '"$1":"..."');
  const bare = Object.entries(params).reduce((rest, [name, value]) => rest.replaceAll(value, `{${name}}`), said);
  return [response.status, ...headers.sort(), bare].join('\n');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
