import assert from 'node:assert/strict';
import { test } from 'node:test';
import Fastify from 'fastify';
import { createJsonAnswer } from './json-answer.ts';

test('an answer is sent as it is, whether or not it was made ahead, and made twice only where that failed', async (t) => {
  const app = Fastify();
  t.after(() => app.close());
  let fails = 0;
  let made = 0;
  app.get('/:how', async (request, reply) => {
    const { how } = request.params as { how: string };
    const answer = createJsonAnswer((result: string) => {
      made += 1;
      if (fails-- > 0) throw new Error('cannot be made');
      return { text: result };
    });
    if (how === 'ahead') answer.make('Ångström "1"');
    return answer.send(reply, 'Ångström "1"');
  });
  const ask = async (how: string) => {
    made = 0;
    const { statusCode, headers, body } = await app.inject(`/${how}`);
    return [statusCode, headers['content-type'], body, made];
  };
  const good = [200, 'application/json; charset=utf-8', '{"text":"Ångström \\"1\\""}'];
  assert.deepEqual(await ask('ahead'), [...good, 1]);
  assert.deepEqual(await ask('late'), [...good, 1]);
  fails = 1;
  assert.deepEqual(await ask('ahead'), [...good, 2]);
  fails = 2;
  assert.equal((await ask('ahead'))[0], 500);
});
