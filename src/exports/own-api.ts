import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { parseExactJson } from '#kernel';

/** What the caller of a request may read through the API, with the credential of this request. */
export type OwnApi = {
  /** Null: it is not there, or no longer. */
  read: (path: string) => Promise<Record<string, unknown> | null>;
  /** All rows of a list, some at a time. A list that is gone meanwhile ends. */
  rows: (path: string, query?: Record<string, string>) => AsyncGenerator<Record<string, unknown>>;
  /** Null: it is not there. */
  file: (path: string) => Promise<Readable | null>;
};

/** Few, because a row may hold a megabyte. */
const rowsAtOnce = '25';

/**
 * Reads through the routes themselves, inside this process: each request is authenticated and authorised like any other, so an
 * export has what its caller may read, in the same form, and ends when the credential ends.
 */
export function createOwnApi(app: FastifyInstance, request: FastifyRequest): OwnApi {
  const names = ['authorization', 'x-api-key', 'cookie', 'host', 'x-forwarded-proto', 'x-forwarded-host'];
  const headers = Object.fromEntries(
    names.flatMap((name) => {
      const value = request.headers[name];
      return typeof value === 'string' ? [[name, value]] : [];
    }),
  );
  const remoteAddress = request.raw.socket.remoteAddress ?? '127.0.0.1';
  const ask = { method: 'GET', headers, remoteAddress } as const;

  async function read(path: string): Promise<Record<string, unknown> | null> {
    const answer = await app.inject({ ...ask, url: path });
    if (answer.statusCode === 404) return null;
    if (answer.statusCode !== 200) throw new Error(`${path} was answered with ${answer.statusCode}.`);
    // as: every answer of these routes is an object.
    return parseExactJson(answer.payload) as Record<string, unknown>;
  }

  async function* rows(path: string, query: Record<string, string> = {}): AsyncGenerator<Record<string, unknown>> {
    let cursor: string | null = null;
    do {
      const search = new URLSearchParams({ ...query, limit: rowsAtOnce, ...(cursor === null ? {} : { cursor }) });
      // as: the envelope of a page.
      const page = (await read(`${path}?${search}`)) as {
        data: Record<string, unknown>[];
        next_cursor: string | null;
      } | null;
      if (page === null) return;
      yield* page.data;
      cursor = page.next_cursor;
    } while (cursor !== null);
  }

  async function file(path: string): Promise<Readable | null> {
    const answer = await app.inject({ ...ask, url: path, payloadAsStream: true });
    const stream = answer.stream();
    if (answer.statusCode === 200) return stream;
    stream.resume();
    if (answer.statusCode === 404) return null;
    throw new Error(`${path} was answered with ${answer.statusCode}.`);
  }

  return { read, rows, file };
}
