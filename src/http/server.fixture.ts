import { after, before } from 'node:test';
import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { fault } from '#kernel';
import type { Principal } from './auth-hook.ts';
import { compatBody } from './body.ts';
import { openAiErrors } from './error-envelope.ts';
import { createServer } from './server.ts';

export const principal: Principal = {
  accountId: 'acc_1',
  accountSlug: 'a',
  role: 'user',
  method: 'api_key',
  keyId: 'key_1',
  keyName: 'test',
  sessionId: null,
};
export const chat = '/api/projects/o/p/openai/v1/chat/completions';
/** The only one whose pages may read answers. */
export const origin = 'https://app.example';

type Answer = { status: number; headers: Headers; text: string; json: Record<string, Record<string, unknown>> };

function addRoutes(app: FastifyInstance): void {
  app.get('/api/v1/me', { config: { operation: 'me' } }, async (request) => request.principal);
  app.get('/api/v1/bug', { config: { operation: 'bug', access: 'public' } }, async () => {
    throw new Error('password=hunter2');
  });
  app.get('/api/v1/unset', { config: { operation: 'unset', access: 'public' } }, async (request) => request.principal);
  app.get<{ Params: { id: string } }>(
    '/api/projects/:owner/:project/openai/v1/models/:id',
    { config: { operation: 'model', access: 'admission', envelope: openAiErrors } },
    async (request) => ({ id: request.params.id }),
  );
  const body = Type.Object({
    name: Type.Optional(Type.String({ maxLength: 3 })),
    n: Type.Optional(Type.Integer()),
    kind: Type.Optional(Type.Enum(['text', 'embedding'])),
  });
  app.post(
    '/api/v1/things',
    { config: { operation: 'things', access: 'public' }, schema: { body } },
    async (request) => ({
      body: request.body,
    }),
  );
  app.post(chat, { config: { operation: 'chat', access: 'admission', envelope: openAiErrors } }, async (request) => {
    if (request.headers.authorization === undefined) throw fault('invalid_credentials');
    const parsed = compatBody(request);
    if (!parsed.ok) throw parsed.fault;
    throw fault('model_warming', { retryAfterSeconds: 90 });
  });
}

/** A server with a route of each kind, which is there from before the first test of a file until after the last. */
export function fileServer() {
  const logged: unknown[] = [];
  const logger = Object.assign(Object.create(null), { level: 'info' });
  for (const level of ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    logger[level] = (entry: unknown) => void logged.push(entry);
  logger.child = () => logger;

  let app: FastifyInstance;
  let base = '';

  before(async () => {
    app = createServer({
      authenticator: async ({ authorization }) => {
        if (authorization === 'Bearer outage') throw fault('service_unavailable', { retryAfterSeconds: 1 });
        return authorization === 'Bearer good' ? principal : null;
      },
      probe: async () => {},
      corsOrigins: [origin],
      logger,
    });
    addRoutes(app);
    base = await app.listen({ host: '127.0.0.1', port: 0 });
  });

  after(() => app.close());

  async function ask(method: string, path: string, init: RequestInit = {}): Promise<Answer> {
    const response = await fetch(base + path, { method, signal: AbortSignal.timeout(180_000), ...init });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: text.startsWith('{') ? JSON.parse(text) : {},
    };
  }

  return { ask, logged, url: () => base };
}
