import type { Locator, Page } from 'playwright-core';
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

/** Those that are complete: they tell their tokens. */
export const answers = (page: Page): Locator => page.locator('article').filter({ hasText: /tokens/ });
