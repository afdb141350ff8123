import type { FastifyInstance, FastifySchema, RouteOptions } from 'fastify';
import type { Contract } from './contract.ts';
import type { WireShape } from './render-fault.ts';

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
    shape?: WireShape;
    /** What the published contract says; none for routes that are not part of it (health). */
    contract?: Contract;
  }
}

export type RouteRow = {
  method: string;
  path: string;
  operation: string;
  access: Access;
  shape: WireShape;
  contract: Contract | null;
  schema: FastifySchema;
};

export type RouteTable = {
  rows: readonly RouteRow[];
  /** Methods that a path takes, for `Allow`; empty when nothing is there. */
  methodsOf: (path: string) => string[];
};

/** Lists the routes as they are registered; `prepare` may add hooks to each. A route without an operation is a bug. */
export function collectRoutes(app: FastifyInstance, prepare: (route: RouteOptions, row: RouteRow) => void): RouteTable {
  const rows: RouteRow[] = [];
  const patterns = new Map<string, RegExp>();
  app.addHook('onRoute', (route) => {
    const { operation, access = 'account', shape = 'native', contract = null } = route.config ?? {};
    if (!operation) throw new Error(`The route ${route.method} ${route.url} has no operation name.`);
    patterns.set(route.url, patternOf(route.url));
    for (const method of [route.method].flat()) {
      const row = { method, path: route.url, operation, access, shape, contract, schema: route.schema ?? {} };
      rows.push(row);
      prepare(route, row);
    }
  });
  return { rows, methodsOf: (path) => methodsOf(rows, patterns, path) };
}

/** `:name` stands for one segment, not longer than the router takes one (`maxParamLength`); `*` for the rest. */
function patternOf(path: string): RegExp {
  const source = path.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replace(/:[A-Za-z]+/g, '[^/]{1,512}');
  return new RegExp(`^${source.replaceAll('*', '.*')}$`);
}

function methodsOf(rows: readonly RouteRow[], patterns: ReadonlyMap<string, RegExp>, path: string): string[] {
  const plain = decoded(path);
  const methods = new Set(rows.filter((row) => patterns.get(row.path)?.test(plain)).map((row) => row.method));
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
