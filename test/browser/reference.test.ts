import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { contractRoutes, createServer } from '#http';
import { launchBrowser } from './stage.ts';

let app: FastifyInstance;
let origin: string;

before(async () => {
  app = createServer({ authenticator: async () => null, probe: async () => {} });
  const contract = {
    tag: 'keys',
    summary: 'Make a <thing>',
    bodyExample: { name: 'x' },
    answers: { 200: { description: 'The file.', schema: Type.Object({}), example: {} } },
  };
  const body = Type.Object({ name: Type.String({ description: 'Name.' }) });
  app.post('/api/v1/things', { config: { operation: 'things.create', contract }, schema: { body } }, async () => ({}));
  await app.register(contractRoutes);
  origin = await app.listen({ host: '127.0.0.1', port: 0 });
});

after(() => app?.close());

test('the reference shows the contract in each language, with nothing from elsewhere and nothing against its policy', async () => {
  const browser = await launchBrowser();
  try {
    for (const [language, description] of Object.entries({ en: 'The file.', zh: '文件。' })) {
      const page = await browser.newPage();
      const complaints: string[] = [];
      const loaded: string[] = [];
      page.on('console', (message) => {
        if (/error|warning/.test(message.type())) complaints.push(message.text());
      });
      page.on('pageerror', (error) => complaints.push(String(error)));
      page.on('request', (request) => loaded.push(request.url()));
      await page.goto(`${origin}/reference?lang=${language}`);
      await page.getByText('Make a <thing>').click();
      await page.getByText(description).first().waitFor();
      assert.deepEqual(
        loaded.filter((url) => !url.startsWith(`${origin}/`) && !url.startsWith('data:')),
        [],
      );
      assert.deepEqual(complaints, []);
      await page.close();
    }
  } finally {
    await browser.close();
  }
});

test('a file that the reference has not is 404', async () => {
  assert.equal((await fetch(`${origin}/reference/nothing.js`)).status, 404);
});
