import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { bearer, seedProject } from '#test/accounts.ts';
import { root } from '#test/source-tree.ts';
import { seedAlias } from '#test/tenants.ts';
import { inSettings } from './playground-world.ts';
import { openStage, seedOwner, settle } from './stage.ts';

/** `npm run pictures`: makes the pictures of docs/images anew, of the running program at real work. */
const folder = join(root, 'docs/images');
const stage = await openStage();
try {
  await mkdir(folder, { recursive: true });
  const { accountId, key } = await seedOwner(stage.database);
  await stage.database.query(`update accounts set slug = 'ada', display_name = 'Ada' where id = $1`, [accountId]);
  const owner = { accountId, key, slug: 'ada' };
  const chat = await seedProject(stage.database, { accountId: owner.accountId, slug: 'help-desk', name: 'Help desk' });
  const search = await seedProject(stage.database, {
    accountId: owner.accountId,
    slug: 'shop-search',
    name: 'Shop search',
    kind: 'embedding',
  });
  await seedAlias(stage.database, stage.app.models, { projectId: chat.projectId, alias: 'helper' });
  await seedAlias(stage.database, stage.app.models, { projectId: search.projectId, alias: 'shop', kind: 'embedding' });
  const headers = { ...bearer(owner.key), 'content-type': 'application/json' };
  const post = async (path: string, body: object): Promise<Record<string, unknown>> => {
    const response = await fetch(stage.origin + path, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    // as: every answer here is an object.
    return (await response.json()) as Record<string, unknown>;
  };
  const native = (project: string) => `/api/v1/projects/${owner.slug}/${project}`;

  const questions = [
    'What is the capital of Orrin?',
    'What is 12 + 7?',
    'Hello!',
    'Tell me a joke.',
    'Repeat: harbour',
  ];
  for (let n = 0; n < 40; n += 1)
    await post(`/api/projects/${owner.slug}/${chat.slug}/openai/v1/chat/completions`, {
      model: 'helper',
      messages: [{ role: 'user', content: questions[n % questions.length] }],
      max_tokens: 60,
      reasoning_effort: n % 3 === 0 ? 'high' : 'none',
    });

  const tickets = await post(`${native(chat.slug)}/datasets`, { name: 'Tickets' });
  const examples = Array.from({ length: 60 }, (_, index) => ({
    text: {
      messages: [
        { role: 'user', content: `What is ticket ${index}?` },
        { role: 'assistant', content: `Ticket ${index} is about folds.` },
      ],
    },
    split: index % 6 === 0 ? 'test' : 'train',
  }));
  await post(`${native(chat.slug)}/datasets/${tickets.id}/examples`, { examples });
  const job = await post(`${native(chat.slug)}/training-jobs`, {
    name: 'Answer tickets',
    base_model: 'fanfold-tiny-chat',
    dataset_id: tickets.id,
    hyperparameters: { epochs: 12 },
  });

  const clicks = await post(`${native(search.slug)}/datasets`, { name: 'Clicks' });
  const results = [
    'The brass lamp costs 40 euros.',
    'The brass lamp weighs two kilograms.',
    'The brass lamp has a warranty of three years.',
    'Lamps are delivered within four days.',
  ].map((text, at) => ({ text, rank: at + 1, score: [0.61, 0.58, 0.72, 0.4][at] }));
  for (const [at, query] of [
    'how long is the guarantee of the lamp',
    'lamp broken, who pays',
    'warranty brass lamp',
  ].entries())
    await post(`${native(search.slug)}/datasets/${clicks.id}/retrieval-events`, {
      external_id: `event-${at}`,
      query,
      results,
      judgments: [{ rank: 3, label: 'positive', signal: 'click' }],
    });

  const { page, go, leave } = await stage.open({ ...owner, viewport: { width: 1280, height: 800 } });
  const take = async (name: string) => {
    await settle(page);
    await sleep(600);
    await page.screenshot({ path: join(folder, `${name}.png`) });
  };

  await go(`/projects/${owner.slug}/${chat.slug}/playground`);
  await inSettings(page, (settings) => settings.getByLabel('Temperature').fill('0'));
  for (const question of ['Hello! Who are you?', 'What is the capital of Orrin?']) {
    const before = await page
      .locator('article')
      .filter({ hasText: /tokens/ })
      .count();
    await page.getByLabel('Message', { exact: true }).fill(question);
    await page.keyboard.press('Enter');
    while (
      (await page
        .locator('article')
        .filter({ hasText: /tokens/ })
        .count()) === before
    )
      await sleep(50);
  }
  await take('playground');

  await go(`/projects/${owner.slug}/${search.slug}/data/${clicks.id}/feedback`);
  await take('feedback');

  await go(`/projects/${owner.slug}/${chat.slug}/training-jobs/${job.id}`);
  await page.getByText('The job has succeeded.').waitFor({ timeout: 120_000 });
  await take('training');

  await page.emulateMedia({ colorScheme: 'dark' });
  await go('/');
  await take('dashboard');
  await leave();
} finally {
  await stage.close();
}
