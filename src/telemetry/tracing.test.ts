import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { bearer } from '#test/accounts.ts';
import { startApp } from '#test/app.ts';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { freePort } from '#test/free-port.ts';
import { seedTenant } from '#test/tenants.ts';

let db: TestDatabase;

before(async () => {
  db = await createTestDatabase();
});

after(() => db.drop());

type Value = {
  stringValue?: string;
  intValue?: number;
  doubleValue?: number;
  boolValue?: boolean;
  arrayValue?: unknown;
};
type Span = {
  name: string;
  kind: number;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  status: { code: number };
  attributes: { key: string; value: Value }[];
};

/** A collector on the loopback that keeps what it is sent. */
async function startCollector() {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text) => (body += text));
    request.on('end', () => {
      bodies.push(`${request.method} ${request.url}\n${body}`);
      response.setHeader('content-type', 'application/json').end('{}');
    });
  });
  server.listen({ host: '127.0.0.1', port: 0 });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const payloads = () => bodies.map((body) => JSON.parse(body.slice(body.indexOf('\n'))));
  return {
    endpoint: `http://127.0.0.1:${port}`,
    bodies,
    services: (): string[] =>
      payloads().flatMap(({ resourceSpans }) =>
        resourceSpans.flatMap(({ resource }: { resource: { attributes: { key: string; value: Value }[] } }) =>
          resource.attributes.filter(({ key }) => key === 'service.name').map(({ value }) => value.stringValue ?? ''),
        ),
      ),
    spans: (): Span[] =>
      payloads().flatMap(({ resourceSpans }) =>
        resourceSpans.flatMap(({ scopeSpans }: { scopeSpans: { spans: Span[] }[] }) =>
          scopeSpans.flatMap(({ spans }) => spans),
        ),
      ),
    close: () => server.close(),
  };
}

const attributesOf = ({ attributes }: Span): Record<string, unknown> =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      value.arrayValue === undefined ? Object.values(value)[0] : value.arrayValue,
    ]),
  );

type Ask = (project: string, path: string, body: object, headers?: Record<string, string>) => Promise<Response>;

/** Runs the program with traces on for `work`; what waits is sent when it stops. */
async function traced(endpoint: string, settings: Record<string, string>, work: (ask: Ask) => Promise<unknown>) {
  const app = await startApp(db.database, { settings: { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, ...settings } });
  const tenant = await seedTenant(db.database, app.models);
  const ask: Ask = async (project, path, body, headers = {}) => {
    const response = await fetch(`${app.origin}/api/projects/${tenant.slug}/${project}/openai/v1/${path}`, {
      method: 'POST',
      headers: { ...bearer(tenant.key), 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(180_000),
    });
    await response.clone().text();
    return response;
  };
  try {
    await work(ask);
  } finally {
    await app.stop();
  }
  return tenant;
}

const traceId = '0af7651916cd43dd8448eb211c80319c';
const traceparent = `00-${traceId}-b7ad6b7169203331-01`;

const question = {
  model: 'chat',
  messages: [{ role: 'user', content: 'heliotrope' }],
  max_tokens: 8,
  reasoning_effort: 'none',
  temperature: 0,
  seed: 5,
  stop: ['zinnia'],
  stream: true,
};

test('a call is a span in the words of the GenAI conventions, below the span of its request, in the trace of its caller', async () => {
  const collector = await startCollector();
  const settings = { OTEL_SERVICE_NAME: 'fanfold-test' };
  const tenant = await traced(collector.endpoint, settings, async (ask) => {
    const response = await ask('chat', 'chat/completions', question, { traceparent });
    assert.equal(response.status, 200);
  });
  collector.close();
  assert.ok(collector.bodies.every((body) => body.startsWith('POST /v1/traces\n')));
  assert.deepEqual([...new Set(collector.services())], ['fanfold-test']);
  const spans = collector.spans();
  const request = spans.find(({ kind }) => kind === 2);
  const call = spans.find(({ kind }) => kind === 1);
  assert.ok(request && call && spans.length === 2);
  assert.deepEqual([request.traceId, request.parentSpanId], [traceId, 'b7ad6b7169203331']);
  assert.deepEqual([call.traceId, call.parentSpanId], [traceId, request.spanId]);
  assert.equal(request.name, 'POST /api/projects/:owner/:project/openai/v1/chat/completions');
  const { 'fanfold.request_id': requestId, ...requestAttributes } = attributesOf(request);
  assert.match(String(requestId), /^req_/);
  assert.deepEqual(requestAttributes, {
    'http.request.method': 'POST',
    'http.response.status_code': 200,
    'http.route': '/api/projects/:owner/:project/openai/v1/chat/completions',
    'fanfold.operation': 'chat.create',
  });
  assert.equal(call.name, 'chat chat');
  const attributes = attributesOf(call);
  assert.ok(Number(attributes['gen_ai.response.time_to_first_chunk']) > 0);
  assert.ok(Number(attributes['gen_ai.usage.input_tokens']) > 0);
  assert.ok(Number(attributes['gen_ai.usage.output_tokens']) > 0);
  assert.ok(Number(attributes['fanfold.active_ms']) > 0);
  const expected = {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'fanfold',
    'gen_ai.request.model': 'chat',
    'gen_ai.response.model': 'fanfold-tiny-chat',
    'gen_ai.request.max_tokens': 8,
    'gen_ai.request.temperature': 0,
    'gen_ai.request.seed': 5,
    'gen_ai.request.stream': true,
    'fanfold.account_id': tenant.accountId,
    'fanfold.outcome': 'succeeded',
  };
  for (const [name, value] of Object.entries(expected)) assert.equal(attributes[name], value, name);
  assert.ok(BigInt(call.endTimeUnixNano) > BigInt(call.startTimeUnixNano));
  const sent = collector.bodies.join('\n');
  for (const secret of ['heliotrope', 'zinnia', tenant.key]) assert.ok(!sent.includes(secret), secret);
});

test('embeddings and failures are spans too; a failure has the code of its error', async () => {
  const collector = await startCollector();
  await traced(collector.endpoint, {}, async (ask) => {
    await ask('search', 'embeddings', { model: 'search', input: 'lamp' });
    await ask('chat', 'chat/completions', { ...question, stream: false, max_tokens: 100_000 });
  });
  collector.close();
  const calls = collector.spans().filter(({ kind }) => kind === 1);
  const [embedding, refused] = calls.map((span) => ({
    of: attributesOf(span),
    name: span.name,
    code: span.status.code,
  }));
  assert.deepEqual(
    [embedding?.name, embedding?.of['gen_ai.operation.name'], embedding?.code],
    ['embeddings search', 'embeddings', 0],
  );
  assert.deepEqual([refused?.name, refused?.of['error.type'], refused?.code], ['chat chat', 'invalid_request', 2]);
});

test('a caller who does not sample, and a ratio of 0, leave no spans', async () => {
  const collector = await startCollector();
  await traced(collector.endpoint, {}, (ask) =>
    ask('chat', 'chat/completions', question, { traceparent: traceparent.replace(/01$/, '00') }),
  );
  await traced(collector.endpoint, { OTEL_TRACES_SAMPLER_ARG: '0' }, (ask) =>
    ask('chat', 'chat/completions', question),
  );
  collector.close();
  assert.deepEqual(collector.spans(), []);
});

test('without a collector at the address calls are answered all the same', async () => {
  const port = await freePort();
  await traced(`http://127.0.0.1:${port}`, {}, async (ask) => {
    for (let i = 0; i < 3; i++) assert.equal((await ask('chat', 'chat/completions', question)).status, 200);
  });
});
