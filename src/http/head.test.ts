import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { after, before, test } from 'node:test';
import { createServer } from './server.ts';

/** A file that says whether somebody has read it. */
class File extends Readable {
  reads = 0;

  override _read(): void {
    this.reads += 1;
    this.push(this.reads === 1 ? 'content' : null);
  }
}

const sent: File[] = [];
const app = createServer({ authenticator: async () => null, probe: async () => {} });
let origin = '';

before(async () => {
  app.get('/api/v1/file', { config: { operation: 'file', access: 'public' } }, (_request, reply) => {
    const file = new File();
    sent.push(file);
    return reply.type('text/plain').header('content-length', 7).send(file);
  });
  app.get('/api/v1/text', { config: { operation: 'text', access: 'public' } }, () => ({ a: 1 }));
  origin = await app.listen({ host: '127.0.0.1', port: 0 });
});
after(() => app.close());

test('HEAD of a file has the headers of GET, and nobody reads the file for it', async () => {
  const [head, get] = [
    await fetch(`${origin}/api/v1/file`, { method: 'HEAD' }),
    await fetch(`${origin}/api/v1/file`, { method: 'GET' }),
  ];
  assert.deepEqual([head.status, await head.text(), get.status, await get.text()], [200, '', 200, 'content']);
  for (const name of ['content-length', 'content-type'])
    assert.equal(head.headers.get(name), get.headers.get(name), name);
  const [unread, read] = sent;
  assert.deepEqual([unread?.reads, unread?.destroyed], [0, true]);
  assert.notEqual(read?.reads, 0);
});

test('HEAD of what is no file has the length of its text', async () => {
  const { status, headers } = await fetch(`${origin}/api/v1/text`, { method: 'HEAD' });
  assert.deepEqual([status, headers.get('content-length')], [200, String('{"a":1}'.length)]);
});
