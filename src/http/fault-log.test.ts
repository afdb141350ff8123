import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FastifyBaseLogger, FastifyRequest } from 'fastify';
import { type Fault, fault } from '#kernel';
import { createFaultLog } from './fault-log.ts';
import { createServer } from './server.ts';

// biome-ignore lint/suspicious/noExplicitAny: what was written is compared, whatever it is.
type Written = { level: string; entry: any; message: string };

function openLog() {
  const written: Written[] = [];
  const logger = Object.assign(Object.create(null), { level: 'info', child: () => logger });
  for (const level of ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    logger[level] = (entry: unknown, message: string) => void written.push({ level, entry, message });
  return { written, logger: logger as FastifyBaseLogger };
}

/** A log whose time stands still until its end. */
function setUp() {
  const { written, logger } = openLog();
  const log = createFaultLog(logger, { nowMs: () => 0, later: () => {} });
  let requests = 0;
  const tell = (problem: Fault, { operation = 'chat.create', what = problem.message } = {}) => {
    requests += 1;
    // as: no more of a request is looked at.
    log.record({ id: `req_${requests}`, routeOptions: { config: { operation } } } as FastifyRequest, problem, what);
  };
  return { written, tell, flush: log.flush };
}

const lost = () => new Error('connect ECONNREFUSED', { cause: new Error('no route to host') });

test('a refusal is told without any stack, with the messages of its causes and the request that met it first', () => {
  const { written, tell, flush } = setUp();
  for (let each = 0; each < 163; each += 1)
    tell(fault('capacity_unavailable', { internal: 'No route took the call.', cause: lost() }));
  flush();
  assert.deepEqual(
    written.map(({ level, entry }) => [level, entry.requestId, entry.similar]),
    [
      ['warn', 'req_1', undefined],
      ['warn', 'req_2', 161],
    ],
  );
  const text = JSON.stringify(written[0]);
  for (const part of ['capacity_unavailable', 'No route took', 'ECONNREFUSED', 'no route to host', 'chat.create'])
    assert.ok(text.includes(part), text);
  assert.equal(written[0]?.entry.err.stack ?? written[0]?.entry.err.cause.stack, undefined);
});

test('refusals that differ in code, cause, reason or operation are told each for itself', () => {
  const { written, tell } = setUp();
  tell(fault('capacity_unavailable'));
  tell(fault('model_warming'));
  tell(fault('capacity_unavailable', { internal: 'No route of a took the call.' }));
  tell(fault('capacity_unavailable', { internal: 'No route of b took the call.' }));
  tell(fault('capacity_unavailable', { cause: lost() }));
  tell(fault('capacity_unavailable', { cause: new Error('away') }));
  tell(fault('capacity_unavailable'), { operation: 'embeddings.create' });
  assert.equal(written.length, 7);
});

test('defects keep their stack and are told each, until the same one has shown itself many times', () => {
  const { written, tell, flush } = setUp();
  const defect = (message: string) => tell(fault('internal_error', { cause: new TypeError(message) }));
  for (let each = 0; each < 1_000; each += 1) defect('x is not a function');
  defect('y is not a function');
  flush();
  assert.ok(written.length < 20, String(written.length));
  assert.equal(
    written.reduce((sum, { entry }) => sum + 1 + (entry.similar ?? 0), 0),
    1_001,
  );
  for (const { level, entry } of written) {
    assert.equal(level, 'error');
    assert.match(entry.err.stack, /not a function\n/);
  }
  assert.ok(written.filter(({ entry }) => entry.similar === undefined).length >= 4);
});

test('a stream that ends because the engine refuses tells the reason of the engine, and no stack', () => {
  const { written, tell } = setUp();
  const refusal = fault('capacity_unavailable', { internal: 'No route took the call.' });
  tell(fault('generation_failed', { cause: refusal }), { what: 'a stream ended with an error' });
  const { level, entry, message } = written[0] ?? assert.fail();
  assert.deepEqual([level, message, entry.code], ['warn', 'a stream ended with an error', 'generation_failed']);
  assert.deepEqual([entry.internal, entry.err.message], ['No route took the call.', refusal.message]);
  assert.equal(entry.err.stack, undefined);
});

test('a server that is closed has told of every call that it refused', async () => {
  const { written, logger } = openLog();
  const app = createServer({ authenticator: async () => null, probe: async () => {}, logger });
  app.get('/api/v1/away', { config: { operation: 'away', access: 'public' } }, async () => {
    throw fault('service_unavailable', { cause: lost() });
  });
  const answers = await Promise.all(Array.from({ length: 40 }, () => app.inject('/api/v1/away')));
  for (const { statusCode } of answers) assert.equal(statusCode, 503);
  await app.close();
  assert.equal(
    written.reduce((sum, { entry }) => sum + 1 + (entry.similar ?? 0), 0),
    40,
  );
  assert.ok(answers.some(({ headers }) => headers['x-request-id'] === written[0]?.entry.requestId));
});
