import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { putRoute } from '#models';
import { bearer } from '#test/accounts.ts';
import { seedAlias } from '#test/tenants.ts';
import { assertAccessible } from './axe.ts';
import { answers, say, seedPlace } from './playground-world.ts';
import { openStage, type Stage, seedOwner } from './stage.ts';

type Part = { image_url?: { url: string } };
type Sent = { messages: { content: string | Part[] }[] };

/** The images of the first message. */
function urls(sent: Sent | undefined): string[] {
  const content = sent?.messages[0]?.content ?? [];
  return typeof content === 'string' ? [] : content.flatMap(({ image_url: image }) => image?.url ?? []);
}

let stage: Stage;
let upstream: Server;
const asked: Sent[] = [];

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

before(async () => {
  upstream = createServer(async (request, response) => {
    if (request.method === 'GET') return void response.end('{"data":[]}');
    // as: our own server asks.
    asked.push((await json(request)) as Sent);
    const frame = { choices: [{ index: 0, delta: { content: 'A **fan**.' }, finish_reason: 'stop' }] };
    const usage = { choices: [], usage: { prompt_tokens: 700, completion_tokens: 2 } };
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const frames = [frame, usage].map((each) => `data: ${JSON.stringify(each)}\n\n`);
    response.end(`${frames.join('')}data: [DONE]\n\n`);
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  stage = await openStage();
  // as: it listens on a port.
  const { port } = upstream.address() as AddressInfo;
  await putRoute(stage.database, {
    id: 'sees',
    api: 'openai',
    baseModelId: 'qwen3-0.6b',
    url: `http://127.0.0.1:${port}/v1`,
    upstreamModel: 'sees',
    secretSource: null,
    capacity: 4,
    weight: 1,
    draining: false,
    vision: true,
  });
  const { key } = await seedOwner(stage.database);
  while (!(await readsImages(key))) await sleep(50);
});

/** Whether the server has read of its new route. */
async function readsImages(key: string): Promise<boolean> {
  const response = await fetch(`${stage.origin}/api/v1/base-models?limit=100`, { headers: bearer(key) });
  // as: the list of base models.
  const { data } = (await response.json()) as {
    data: { id: string; inference: { capabilities: { vision: boolean } } }[];
  };
  return data.some(({ id, inference }) => id === 'qwen3-0.6b' && inference.capabilities.vision);
}

after(async () => {
  await stage?.close();
  upstream?.closeAllConnections();
  upstream?.close();
});

async function seedViewer() {
  const place = await seedPlace(stage);
  await seedAlias(stage.database, stage.app.models, {
    projectId: place.projectId,
    alias: 'eyes',
    model: 'qwen3-0.6b',
  });
  return place;
}

const attached = (page: Page) => page.getByRole('list', { name: 'Attached images' }).getByRole('img');

/** Gives a file to the field of the message, as pasting or dropping does. */
async function give(page: Page, event: 'paste' | 'drop', { type, bytes }: { type: string; bytes: Buffer }) {
  const constructed =
    event === 'paste'
      ? "new ClipboardEvent('paste', { bubbles: true, cancelable: true, clipboardData: data })"
      : "new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer: data })";
  await page.evaluate(`{
    const data = new DataTransfer();
    data.items.add(new File([Uint8Array.from(${JSON.stringify([...bytes])})], 'file', { type: ${JSON.stringify(type)} }));
    document.querySelector('textarea').dispatchEvent(${constructed});
  }`);
}

test('images are attached, pasted and dropped, removed, sent, and shown again after a reload', async () => {
  const { owner, path } = await seedViewer();
  const { page, go, leave } = await stage.open(owner);
  await go(`${path}?model=eyes`);
  const photo = await page.screenshot();
  const file = page.getByLabel('Attach images').and(page.locator('input'));
  await file.setInputFiles([{ name: 'photo.png', mimeType: 'image/png', buffer: photo }]);
  await attached(page).first().waitFor();
  await give(page, 'paste', { type: 'image/png', bytes: png });
  await attached(page).nth(1).waitFor();
  await give(page, 'drop', { type: 'text/plain', bytes: Buffer.from('words') });
  await page.getByText(/Images are PNG, JPEG, WebP or GIF/).waitFor();
  await page.getByRole('button', { name: 'Remove image 2' }).click();
  await give(page, 'drop', { type: 'image/png', bytes: png });
  await attached(page).nth(1).waitFor();
  await assertAccessible(page, 'attached images');
  await say(page, 'What is it?');
  await answers(page).first().waitFor();
  assert.equal(await attached(page).count(), 0);
  const first = urls(asked.at(-1));
  assert.equal(first.length, 2);
  assert.equal(first[1], `data:image/png;base64,${png.toString('base64')}`);
  await page.reload();
  const shown = page.locator('article').getByRole('img', { name: /^Image \d$/ });
  await shown.nth(1).waitFor();
  const loaded = `Promise.all([...document.querySelectorAll('article img')].map((image) => image.decode())).then(() => true)`;
  assert.equal(await page.evaluate(loaded), true);
  await assertAccessible(page, 'a conversation with images');
  await say(page, 'And its colour?');
  await answers(page).nth(1).waitFor();
  assert.deepEqual(urls(asked.at(-1)), first);
  await leave();
});

test('a model that reads no images says so before anything is sent', async () => {
  const { owner, path } = await seedViewer();
  const { page, go, leave } = await stage.open(owner);
  await go(`${path}?model=helper`);
  await page.getByLabel('Message', { exact: true }).fill('What is it?');
  assert.equal(await page.getByLabel('Attach images').count(), 0);
  await give(page, 'paste', { type: 'image/png', bytes: png });
  await page.getByText('This model does not read images.', { exact: false }).waitFor();
  const send = page.getByRole('button', { name: 'Send', exact: true });
  assert.ok(await send.isDisabled());
  await assertAccessible(page, 'a model without vision');
  await page.getByLabel('Model', { exact: true }).selectOption('eyes');
  await page.getByText('This model does not read images.', { exact: false }).waitFor({ state: 'detached' });
  await send.click();
  await answers(page).first().waitFor();
  await page.getByLabel('Model', { exact: true }).selectOption('helper');
  await page.getByText('This chat has images', { exact: false }).waitFor();
  await leave();
});
