import assert from 'node:assert/strict';
import { request } from 'node:http';
import { test } from 'node:test';
import Fastify from 'fastify';
import { createPublicUrl } from './public-url.ts';

/** The address that a server tells somebody who sent this Host header. */
async function toldTo(configured: string | null, host: string): Promise<{ url: string; port: string }> {
  const publicUrl = createPublicUrl(configured);
  const app = Fastify();
  app.get('/', async (asked) => publicUrl(asked));
  const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }));
  try {
    const url = await new Promise<string>((resolve, reject) => {
      request({ host: '127.0.0.1', port, headers: { host } }, (response) => {
        let text = '';
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () => resolve(text));
      })
        .on('error', reject)
        .end();
    });
    return { url, port };
  } finally {
    await app.close();
  }
}

test('clients are told the host that they asked, unless an address is configured', async () => {
  for (const host of ['localhost:8787', 'models.example', '[::1]:80'])
    assert.equal((await toldTo(null, host)).url, `http://${host}`);
  assert.equal((await toldTo('https://models.example/ai', 'localhost:8787')).url, 'https://models.example/ai');
});

test('what is no host gets into no address', async () => {
  for (const host of ['a b', 'evil.example/path', 'x"y', 'user@host', '<script>', 'ü.example', '']) {
    const { url, port } = await toldTo(null, host);
    assert.equal(url, `http://127.0.0.1:${port}`, host);
  }
});
