import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { publishedRows, writeDocument } from '../../src/http/openapi/document.ts';
import { isRef, type OpenApiDocument, type ResponseObject } from '../../src/http/openapi/model.ts';
import { templateOf } from '../../src/http/openapi/path-parameters.ts';
import { createSchemaChecks, pointed, pointerOf, type SchemaChecks } from './openapi-checks.ts';
import { publishedPath } from './openapi-paths.ts';

const maxBytes = 4_000_000;

/** What answers a server gave that its published contract does not allow. */
export type ContractWatch = { violations: () => string[] };

/**
 * Compares every answer of a server with the published contract: its status, its content type, its required headers and
 * its body, frames of a stream included. So each test that asks the program tests the contract as well.
 */
export function watchContract(server: FastifyInstance): ContractWatch {
  const found = new Set<string>();
  const judge = judgeOf(server);
  server.server.prependListener('request', (request, response) => {
    const sent = readAlong(response);
    response.once('finish', () => {
      for (const violation of judge()(request, sent())) found.add(violation);
    });
  });
  return { violations: () => [...found] };
}

/** An answer as it left; the body is null when it was too much to keep. */
type Sent = { status: number; headers: Record<string, unknown>; body: string | null };

type Judge = (request: IncomingMessage, sent: Sent) => string[];

/** The routes are read when the first answer leaves: they are complete then. */
function judgeOf(server: FastifyInstance): () => Judge {
  let judge: Judge | null = null;
  return () => {
    judge ??= createJudge(server);
    return judge;
  };
}

function createJudge(server: FastifyInstance): Judge {
  const rowsOf = Map.groupBy(publishedRows(server.routeTable.rows), ({ path }) => templateOf(path));
  const pathOf = publishedPath([...rowsOf.keys()]);
  const contracts = new Map<string, Contract>();
  // To write the whole document costs more than most files of tests ask: of each path that is asked, its part.
  const contractOf = (path: string) => {
    const contract = contracts.get(path) ?? contractFor(writeDocument(rowsOf.get(path) ?? [], 'en'));
    contracts.set(path, contract);
    return contract;
  };
  return ({ method = '', url = '' }, sent) => {
    const path = pathOf(url);
    if (path === null) return [];
    const contract = contractOf(path);
    const steps = ['paths', path, method.toLowerCase()];
    if (pointed(contract.document, pointerOf(...steps)) === undefined) return [];
    return wrongWith({ ...contract, steps, sent }).map((wrong) => `${method} ${path} ${sent.status}: ${wrong}`);
  };
}

type Contract = { document: OpenApiDocument; checks: SchemaChecks };

const contractFor = (document: OpenApiDocument): Contract => ({ document, checks: createSchemaChecks(document) });

type Answered = Contract & {
  steps: readonly string[];
  sent: Sent;
};

function wrongWith({ document, checks, steps, sent }: Answered): string[] {
  let at = pointerOf(...steps, 'responses', String(sent.status));
  let documented = pointed(document, at);
  if (documented === undefined) return ['the status is not documented'];
  // as: the document has answers in this place.
  if (isRef(documented as object)) {
    at = (documented as { $ref: string }).$ref.slice(1);
    documented = pointed(document, at);
  }
  const { headers = {}, content } = documented as ResponseObject;
  const missing = Object.entries(headers).flatMap(([name, header]) => {
    const target = isRef(header) ? pointed(document, header.$ref) : header;
    return Reflect.get(Object(target), 'required') && sent.headers[name] === undefined ? [`no ${name}`] : [];
  });
  return [...missing, ...wrongBody(checks, { at, content: content ?? {} }, sent)];
}

type Documented = { at: string; content: NonNullable<ResponseObject['content']> };

function wrongBody(checks: SchemaChecks, { at, content }: Documented, { headers, body }: Sent): string[] {
  if (body === null) return [];
  if (Object.keys(content).length === 0) return body === '' ? [] : ['a body where none is documented'];
  const type = String(headers['content-type']).split(';')[0]?.trim() ?? '';
  const media = content[type];
  if (!media) return [`content type ${type} is not documented`];
  const place = at + pointerOf('content', type);
  if (type === 'application/json') return checks.wrongWith(`${place}/schema`, JSON.parse(body));
  if (type === 'text/event-stream')
    return wrongFrames(checks, { media, place: `${place}/schema/properties/data` }, body);
  return [];
}

/** Where all data are JSON, events that have names are described, too. */
function wrongFrames(checks: SchemaChecks, { media, place }: { media: object; place: string }, body: string): string[] {
  const hasOtherEnd = pointed(media, '#/schema/properties/data/anyOf') !== undefined;
  const schema = `${place}${hasOtherEnd ? '/anyOf/0' : ''}/contentSchema`;
  const frames = body
    .split('\n\n')
    .map((frame) => (hasOtherEnd ? frame : frame.replace(/^event: .*\n/, '')))
    .filter((frame) => frame.startsWith('data: ') && frame !== 'data: [DONE]');
  return frames.flatMap((frame) => checks.wrongWith(schema, JSON.parse(frame.slice('data: '.length))));
}

function readAlong(response: ServerResponse): () => Sent {
  const chunks: Buffer[] = [];
  const headers: Record<string, unknown> = {};
  let bytes = 0;
  const keep = (chunk: unknown) => {
    if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array)) return;
    const buffer = Buffer.from(chunk);
    bytes += buffer.length;
    if (bytes <= maxBytes) chunks.push(buffer);
  };
  const { write, end, writeHead } = response;
  // as: each has overloads that differ only in what is left out.
  response.write = ((...given: unknown[]) => {
    keep(given[0]);
    return Reflect.apply(write, response, given);
  }) as ServerResponse['write'];
  response.end = ((...given: unknown[]) => {
    keep(given[0]);
    return Reflect.apply(end, response, given);
  }) as ServerResponse['end'];
  response.writeHead = ((...given: unknown[]) => {
    // Headers that come with it cannot be asked for afterwards.
    Object.assign(
      headers,
      given.find((each) => typeof each === 'object'),
    );
    return Reflect.apply(writeHead, response, given);
  }) as ServerResponse['writeHead'];
  return () => ({
    status: response.statusCode,
    headers: { ...response.getHeaders(), ...headers },
    body: bytes > maxBytes ? null : Buffer.concat(chunks).toString(),
  });
}
