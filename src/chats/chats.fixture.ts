import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { addModel } from '#models';
import { bearer } from '#test/accounts.ts';
import { startApp, type TestApp, type TestAppOptions } from '#test/app.ts';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { smallShape, writeRandomModel } from '#test/random-model.ts';
import { seedAlias, seedTenant } from '#test/tenants.ts';

/** The program on a database of its own; its base model `endless` never ends by itself. */
export type ChatsServer = { db: TestDatabase; app: TestApp; dataDir: string; stop: () => Promise<void> };

export async function startChatsServer(options: Pick<TestAppOptions, 'chats'> = {}): Promise<ChatsServer> {
  const dataDir = await mkdtemp(join(tmpdir(), 'fanfold-chats-'));
  const db = await createTestDatabase();
  const app = await startApp(db.database, { ...options, dataDir });
  const ggufPath = join(dataDir, 'endless.gguf');
  const shape = { ...smallShape, contextTokens: 16_384 };
  writeRandomModel(ggufPath, { shape, seed: 7, kind: 'text', spread: 0.3, ends: false });
  await addModel(app.models, { id: 'endless', kind: 'text', ggufPath, contextTokens: 16_384 });
  // A running server looks for new models twice a second.
  while (!app.models.find('endless')) await sleep(20);
  return {
    db,
    app,
    dataDir,
    stop: async () => {
      await app.stop();
      await db.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

export type ChatAnswer = {
  status: number;
  headers: Headers;
  text: string;
  json: ReturnType<typeof JSON.parse>;
};

/** An account with a text project `chat` and an embedding project `search`, and what it asks of its chats. */
export async function someone({ db, app }: ChatsServer) {
  const tenant = await seedTenant(db.database, app.models);
  const base = `/api/v1/projects/${tenant.slug}/chat`;
  const [project] = await db.database.query<{ id: string }>(
    `select id from projects where account_id = $1 and slug = 'chat'`,
    [tenant.accountId],
  );
  const projectId = project?.id ?? '';

  const send = (method: string, path: string, body?: unknown, how: { headers?: object; origin?: string } = {}) =>
    fetch((how.origin ?? app.origin) + (path.startsWith('/') ? path : `${base}/${path}`), {
      method,
      headers: {
        ...(how.headers ?? bearer(tenant.key)),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(180_000),
    });
  const ask = async (...request: Parameters<typeof send>): Promise<ChatAnswer> => {
    const response = await send(...request);
    const text = await response.text();
    const { status, headers } = response;
    return { status, headers, text, json: text.startsWith('{') ? JSON.parse(text) : null };
  };
  const newChat = async (body: object = {}): Promise<string> => {
    const params = { reasoning_effort: 'none', max_tokens: 12, temperature: 0 };
    const { json } = await ask('POST', 'chats', { model: 'chat', params, ...body });
    return json.id;
  };
  const say = (chatId: string, content: string, extra: object = {}) =>
    ask('POST', `chats/${chatId}/messages`, { content, stream: false, ...extra });
  const messages = async (chatId: string) => (await ask('GET', `chats/${chatId}/messages?limit=100`)).json.data;
  /** Begins an answer that does not end, and gives its id once text has arrived. */
  const beginEndless = async (origin?: string) => {
    const chatId = await newChat({ model: 'endless', params: { max_tokens: 15_000, temperature: 0 } });
    const leaving = new AbortController();
    const response = await fetch(`${origin ?? app.origin}${base}/chats/${chatId}/messages`, {
      method: 'POST',
      headers: { ...bearer(tenant.key), 'content-type': 'application/json' },
      body: JSON.stringify({ content: 'Go on!' }),
      signal: leaving.signal,
    });
    const messageId = response.headers.get('x-fnf-message-id') ?? '';
    return { chatId, messageId, response, leave: () => leaving.abort() };
  };
  const alias = (name: string) => seedAlias(db.database, app.models, { projectId, alias: name });
  return { ...tenant, base, projectId, send, ask, newChat, say, messages, beginEndless, alias };
}
