import type { Locator, Page } from 'playwright-core';
import { newId } from '#kernel';
import { seedProject } from '#test/accounts.ts';
import { seedAlias } from '#test/tenants.ts';
import { type Stage, seedOwner } from './stage.ts';

/** An owner, and a project of his in whose playground he can call `helper`. */
export async function seedPlace({ app, database }: Stage, kind: 'text' | 'embedding' = 'text') {
  const owner = await seedOwner(database);
  const project = await seedProject(database, { accountId: owner.accountId, kind, name: 'Help desk' });
  await seedAlias(database, app.models, { projectId: project.projectId, kind, alias: 'helper' });
  return { owner, ...project, path: `/projects/${owner.slug}/${project.slug}/playground` };
}

export async function say(page: Page, text: string): Promise<void> {
  await page.getByLabel('Message', { exact: true }).fill(text);
  await page.keyboard.press('Enter');
}

/** Opens the settings, does something there, and closes them. */
export async function inSettings(page: Page, act: (settings: Locator) => Promise<unknown>): Promise<void> {
  await page.getByRole('button', { name: 'Settings', exact: true }).click();
  const settings = page.getByRole('dialog');
  await settings.getByLabel('Temperature').waitFor();
  await act(settings);
  await page.keyboard.press('Escape');
  await settings.waitFor({ state: 'detached' });
}

/** Those that are complete: they tell their tokens. */
export const answers = (page: Page): Locator => page.locator('article').filter({ hasText: /tokens/ });

const usage = {
  prompt_tokens: 3,
  completion_tokens: 5,
  total_tokens: 8,
  reasoning_tokens: 0,
  cached_tokens: 0,
  prompt_tokens_details: { cached_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 0 },
};

/** A conversation in which a model has answered this. */
export async function seedChat(
  { database }: Stage,
  { projectId, answer, question = 'Tell me.' }: { projectId: string; answer: string; question?: string },
): Promise<string> {
  const chatId = newId('cht');
  await database.query(
    `insert into chats (id, project_id, title, search_text, model, params, message_count, last_seq, last_message_at)
     values ($1, $2, $3, lower($3), 'helper', '{}', 2, 2, now())`,
    [chatId, projectId, question],
  );
  await database.query(
    `insert into chat_messages (id, chat_id, seq, role, content, state, request, usage, finish_reason, finished_at)
     values ($1, $3, 1, 'user', $4, 'complete', null, null, null, now()),
            ($2, $3, 2, 'assistant', $5, 'complete', $6, $7, 'stop', now())`,
    [
      newId('msg'),
      newId('msg'),
      chatId,
      question,
      answer,
      JSON.stringify({ model: 'helper', messages: [{ role: 'user', content: question }] }),
      JSON.stringify(usage),
    ],
  );
  return chatId;
}
