import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { bearer } from '#test/accounts.ts';
import { startApp } from '#test/app.ts';
import { createTestDatabase } from '#test/database.ts';
import { seedTenant, type Tenant } from '#test/tenants.ts';

/** The wired program, and accounts whose calls are kept or not. */
export async function openKeeping() {
  const { database, drop } = await createTestDatabase();
  const app = await startApp(database);
  const close = async () => {
    await app.stop();
    await drop();
  };

  async function ask(key: string, method: string, path: string, body?: unknown) {
    const response = await fetch(app.origin + path, {
      method,
      headers: { ...bearer(key), ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      signal: AbortSignal.timeout(180_000),
    });
    const text = await response.text();
    return {
      status: response.status,
      id: response.headers.get('x-request-id') ?? '',
      text,
      json: text.startsWith('{') ? JSON.parse(text) : null,
    };
  }

  /** An account whose text project keeps calls, or not, and ways to ask as it. */
  async function someone({ autoSave = true } = {}) {
    const tenant = await seedTenant(database, app.models);
    const base = `/api/v1/projects/${tenant.slug}/chat`;
    const saves = async (on: boolean) => {
      const { status } = await ask(tenant.key, 'PATCH', base, { inference_auto_save: on });
      assert.equal(status, 200);
    };
    if (autoSave) await saves(true);
    const saved = (query = '') => ask(tenant.key, 'GET', `${base}/saved-calls${query}`);
    const remove = (path: string) => ask(tenant.key, 'DELETE', `${base}/saved-calls${path}`);
    /** The list once it has this many; what is not there yet must come soon. */
    const savedCalls = async (count: number) => {
      for (let tries = 0; tries < 3_000; tries++) {
        const { json } = await saved();
        // The page is read before its count.
        if (json.data.length >= count) return json.data;
        await sleep(20);
      }
      throw new Error(`There are no ${count} saved calls.`);
    };
    return { ...tenant, base, saves, saved, savedCalls, remove, chat: chatAs(tenant) };
  }

  /** Asks the model of a project; by default the caller's own. */
  function chatAs({ key, slug }: Tenant) {
    return (content: string, extra: object = {}, owner = slug, project = 'chat') =>
      ask(key, 'POST', `/api/projects/${owner}/${project}/openai/v1/chat/completions`, {
        model: 'chat',
        messages: [{ role: 'user', content }],
        reasoning_effort: 'none',
        max_tokens: 8,
        ...extra,
      });
  }

  /** Long enough for a call that must not be kept to be there if it were. */
  async function settle(someoneElse: Awaited<ReturnType<typeof someone>>) {
    await someoneElse.chat('a call that is kept marks the time');
    await someoneElse.savedCalls(1);
  }

  return { database, app, close, ask, someone, settle };
}
