import type { FastifyInstance, FastifySchema, RouteOptions } from 'fastify';
import type { Contract } from './contract.ts';
import { type ErrorEnvelope, nativeErrors } from './error-envelope.ts';

/**
 * Who may call: `account` needs a principal (the default), `admission` routes find out themselves in the statement
 * that also looks up project, model and credits, `public` is for anyone.
 */
type Access = 'public' | 'account' | 'admission';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Name of the operation in logs, metrics and the OpenAPI document, as in `keys.create`. */
    operation?: string;
    access?: Access;
    /** How errors are told; by default as in the service's own interface. */
    envelope?: ErrorEnvelope;
    /** A header field that may hold the key in the place of `authorization`. */
    keyHeader?: 'x-api-key';
    /** What the published contract says; none for routes that are not part of it (health). */
    contract?: Contract;
  }
}

export type RegisteredRoute = {
  method: string;
  path: string;
  operation: string;
  access: Access;
  envelope: ErrorEnvelope;
  contract: Contract | null;
  schema: FastifySchema;
};

export type RouteTable = {
  rows: readonly RegisteredRoute[];
  /** Methods that a path takes, for `Allow`; empty when nothing is there. */
  methodsOf: (path: string) => string[];
  /**
   * Tells of a url that came to one of these patterns whether it is the one of another: a word that is the name of something is no
   * id, also for methods that only things with an id take. Nothing is no id either: a list with a slash behind it is none of its
   * things. Complete when the server is ready.
   */
  ambiguous: ReadonlyMap<string, (url: string) => boolean>;
  /** How errors are told at a path where no route is: as by the routes whose interface it is meant for. */
  envelopeOf: (path: string) => ErrorEnvelope;
};

/** Lists the routes as they are registered; `prepare` may add hooks to each. A route without an operation is a bug. */
export function collectRoutes(
  app: FastifyInstance,
  prepare: (route: RouteOptions, row: RegisteredRoute) => void,
): RouteTable {
  const rows: RegisteredRoute[] = [];
  const patterns = new Map<string, Pattern>();
  app.addHook('onRoute', (route) => {
    const { operation, access = 'account', envelope = nativeErrors, contract = null } = route.config ?? {};
    if (!operation) throw new Error(`The route ${route.method} ${route.url} has no operation name.`);
    patterns.set(route.url, patternOf(route.url));
    for (const method of [route.method].flat()) {
      const row = { method, path: route.url, operation, access, envelope, contract, schema: route.schema ?? {} };
      rows.push(row);
      prepare(route, row);
    }
  });
  const ambiguous = new Map<string, (url: string) => boolean>();
  app.addHook('onReady', async () => {
    const nearer = nearerOf(patterns);
    for (const pattern of patterns.keys()) {
      const others = nearer.get(pattern) ?? [];
      const isName = endsWithName(pattern);
      if (others.length === 0 && !isName) continue;
      ambiguous.set(pattern, (url) => {
        const path = decoded(pathOf(url));
        return (isName && path.endsWith('/')) || others.some((expression) => expression.test(path));
      });
    }
  });
  return {
    rows,
    ambiguous,
    envelopeOf: (path) => envelopeOf(rows, path),
    methodsOf: (path) => methodsOf(rows, nearest(patterns, path)),
  };
}

/** Of several that name the path, the one that names most of it. */
function envelopeOf(rows: readonly RegisteredRoute[], path: string): ErrorEnvelope {
  const named = [...new Set(rows.map(({ envelope }) => envelope))].map((envelope) => {
    const [match] = envelope.paths?.exec(path) ?? [];
    return { envelope, length: match?.length ?? 0 };
  });
  const longest = named.reduce((best, each) => (each.length > best.length ? each : best), {
    envelope: nativeErrors,
    length: 0,
  });
  return longest.envelope;
}

/** A url without its query. */
export const pathOf = (url: string): string => url.split('?', 1)[0] ?? '';

type Pattern = { expression: RegExp; rank: string };

/** `:name` stands for one segment, not longer than the router takes one (`maxParamLength`); `*` for the rest. */
function patternOf(path: string): Pattern {
  const source = path.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replace(/:[A-Za-z]+/g, '[^/]{1,512}');
  return { expression: new RegExp(`^${source.replaceAll('*', '.*')}$`), rank: rankOf(path) };
}

const endsWithName = (pattern: string): boolean => pattern[pattern.lastIndexOf('/') + 1] === ':';

/** As the router prefers them: from the left, words before parameters before the rest. */
function rankOf(path: string): string {
  return path.replace(/[^/]+/g, (part) => (part === '*' ? '2' : part.startsWith(':') ? '1' : '0'));
}

/** The patterns of a path, whatever the method: those that the router prefers. */
function nearest(patterns: ReadonlyMap<string, Pattern>, path: string): string[] {
  const plain = decoded(path);
  const fitting = [...patterns].filter(([, { expression }]) => expression.test(plain));
  const [best] = fitting.map(([, { rank }]) => rank).sort();
  return fitting.filter(([, { rank }]) => rank === best).map(([pattern]) => pattern);
}

/** Of patterns with a parameter where others have a word, those others. */
function nearerOf(patterns: ReadonlyMap<string, Pattern>): ReadonlyMap<string, RegExp[]> {
  const all = [...patterns].map(([pattern, { rank, expression }]) => ({ parts: pattern.split('/'), rank, expression }));
  const found = all.map(({ parts, rank }) => {
    const others = all.filter((other) => other.rank < rank && meet(parts, other.parts));
    return [parts.join('/'), others.map(({ expression }) => expression)] as const;
  });
  return new Map(found.filter(([, others]) => others.length > 0));
}

/** Whether a path could be meant for either. */
function meet(one: readonly string[], other: readonly string[]): boolean {
  const isName = (part = '') => part.startsWith(':');
  return (
    one.length === other.length && one.every((part, at) => part === other[at] || isName(part) || isName(other[at]))
  );
}

function methodsOf(rows: readonly RegisteredRoute[], patterns: readonly string[]): string[] {
  const methods = new Set(rows.filter(({ path }) => patterns.includes(path)).map(({ method }) => method));
  return methods.size === 0 ? [] : [...methods, 'OPTIONS'].sort();
}

/** As the router does it: a path ends before `#`, and reserved characters stay encoded, so `%2F` is no separator. */
function decoded(target: string): string {
  const [path = ''] = target.split('#', 1);
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
