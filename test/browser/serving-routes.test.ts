import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { assertAccessible } from './axe.ts';
import { openStage, pictureFolder, type Stage, seedOwner } from './stage.ts';

let stage: Stage;
let engine: Server;
let failure: string | null = null;

before(async () => {
  engine = createServer((request, response) => {
    request.resume();
    const body =
      request.method === 'GET'
        ? { data: [{ id: 'qwen3-4b' }] }
        : { choices: [{ message: { role: 'assistant', content: 'Hello there!' } }] };
    const isFailing = failure !== null && request.method === 'POST';
    response.writeHead(isFailing ? 500 : 200, { 'content-type': 'application/json' });
    response.end(isFailing ? failure : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => engine.listen(0, '127.0.0.1', resolve));
  stage = await openStage();
});

after(async () => {
  await stage?.close();
  engine?.close();
});

test('an operator adds a serving route, and its test shows what the engine answers, or how it fails', async (t) => {
  const pictures = await pictureFolder('serving-routes');
  t.diagnostic(pictures);
  const owner = await seedOwner(stage.database);
  await stage.database.query(`update accounts set role = 'admin' where id = $1`, [owner.accountId]);
  const { page, go, leave } = await stage.open(owner);
  await go('/operator/serving-routes');
  await page.getByRole('button', { name: 'Add a route' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name', { exact: true }).fill('gpu-1');
  await dialog.getByLabel('Base model').selectOption('qwen3-4b');
  // as: it listens on a port.
  const { port } = engine.address() as AddressInfo;
  await dialog.getByLabel('Base URL').fill(`http://127.0.0.1:${port}/v1`);
  await dialog.getByRole('button', { name: 'Add a route' }).click();
  await page.getByText('gpu-1 is set up.').waitFor();
  await page.getByRole('button', { name: 'Test', exact: true }).click();
  await page.getByText(/It has qwen3-4b\. Its answer after .*: “Hello there!”/).waitFor();
  await assertAccessible(page, 'tested route');
  await page.screenshot({ path: join(pictures, 'tested.png') });
  failure = '{"error":{"message":"CUDA out of memory"}}';
  await page.getByRole('button', { name: 'Test', exact: true }).click();
  await page.getByText(/It gives no answer\. It answered 500: .*CUDA out of memory/).waitFor();
  await page.screenshot({ path: join(pictures, 'failed.png') });
  await leave();
});
