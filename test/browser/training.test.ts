import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { bearer, seedProject } from '#test/accounts.ts';
import { assertAccessible } from './axe.ts';
import { hasValue, openStage, type Stage, seedOwner, settle } from './stage.ts';

let stage: Stage;

before(async () => {
  stage = await openStage();
});

after(async () => {
  await stage?.close();
});

const ended = { timeout: 240_000 };
/** How much of the page is beside its window. */
const tooWide = 'document.documentElement.scrollWidth - innerWidth';

/** A project with a dataset from which a job can learn. */
async function seedLearner() {
  const owner = await seedOwner(stage.database);
  const { slug } = await seedProject(stage.database, { accountId: owner.accountId, name: 'Help desk' });
  const path = `${owner.slug}/${slug}`;
  const ask = async (method: string, place: string, body?: object) => {
    const response = await fetch(`${stage.origin}/api/v1/projects/${path}/${place}`, {
      method,
      headers: { ...bearer(owner.key), 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await response.text();
    assert.ok(response.ok, text);
    // as: every answer here is an object; what it holds is what is tested.
    return JSON.parse(text) as Record<string, unknown>;
  };
  const { id: datasetId } = await ask('POST', 'datasets', { name: 'Tickets' });
  const examples = Array.from({ length: 24 }, (_, index) => ({
    text: {
      messages: [
        { role: 'user', content: `What is ticket ${index}?` },
        { role: 'assistant', content: `Ticket ${index} is about folds.` },
      ],
    },
    split: index % 6 === 0 ? 'test' : 'train',
  }));
  await ask('POST', `datasets/${datasetId}/examples`, { examples });
  return { owner, path, datasetId: String(datasetId), ask };
}

test('a job that waits is canceled, tried again with an estimate, and compared with another', async () => {
  const { owner, path, datasetId, ask } = await seedLearner();
  const make = async (name: string, epochs: number) => {
    const body = { name, base_model: 'fanfold-tiny-chat', dataset_id: datasetId, hyperparameters: { epochs } };
    return String((await ask('POST', 'training-jobs', body))['id']);
  };
  await make('First', 100);
  const second = await make('Second', 90);
  const { page, go, leave } = await stage.open(owner);
  await go(`/projects/${path}/training-jobs/${second}`);
  await page.getByText('Number 1 in the queue.').waitFor(ended);
  await page.getByRole('button', { name: 'Stop training', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('It has not started, so it costs nothing.').waitFor();
  await dialog.getByRole('button', { name: 'Stop training' }).click();
  await page.getByText('canceled', { exact: true }).first().waitFor(ended);
  await page.getByText('Credits so far').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Try again' }).click();
  await dialog.getByText(/^About [\d.]+ credits, [\d.]+ at most/).waitFor();
  await assertAccessible(page, 'retry');
  await dialog.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('row', { name: /^Attempt 2/ }).waitFor();

  await go(`/projects/${path}/training-jobs`);
  await page.getByLabel('Mark First to compare it').check();
  await page.getByLabel('Mark Second to compare it').check();
  await page.getByRole('link', { name: 'Compare 2' }).click();
  await page.getByRole('row', { name: /^Epochs \(differs\) 100 90$/ }).waitFor();
  await assertAccessible(page, 'comparison');
  // What is only read out of the curves takes no room.
  await stage.database.query(
    `insert into training_metrics (job_id, attempt, name, step, value)
     select $1, 2, name, step, 1.0 / step from unnest('{loss,eval_loss}'::text[]) name, generate_series(1, 40) step`,
    [second],
  );
  await page.setViewportSize({ width: 360, height: 740 });
  await page.reload();
  await settle(page);
  await page.getByRole('rowheader', { name: 'Second, step 40' }).first().waitFor({ state: 'attached' });
  const tooLong =
    'document.documentElement.scrollHeight - scrollY - document.querySelector("main").getBoundingClientRect().bottom';
  assert.ok(Number(await page.evaluate(tooWide)) <= 0, 'the page is too wide');
  assert.ok(Number(await page.evaluate(tooLong)) < 1, 'the page goes on below its end');
  await page.setViewportSize({ width: 1280, height: 900 });

  await ask('POST', `datasets/${datasetId}/versions`, {});
  await go(`/projects/${path}/training-jobs/new`);
  await page.getByLabel('Regression check').selectOption({ label: 'Tickets · v1 · 24 examples' });
  // The server has it, too.
  await page.getByText('The regression check is of the dataset that is learned from').waitFor();
  await page.getByText('All settings').click();
  await page.getByLabel('Epochs').fill('1');
  await page.getByText('Lower the batch size or raise the epochs if nothing is learned.').waitFor();
  await page.getByLabel('Epochs').fill('');
  const share = page.getByLabel('Replay share');
  await share.fill('0.7');
  await page.getByText('A number from 0 to 0.5, or empty.').waitFor();
  await page.getByRole('heading', { name: 'New training job' }).click();
  await page.getByRole('button', { name: 'Begin training' }).click();
  await page.locator('[aria-invalid="true"]:focus').waitFor();
  await share.fill('0.25');
  await assertAccessible(page, 'control set');
  await page.getByRole('button', { name: 'Begin training' }).click();
  await page.getByText('Tickets · v1 · 25% of each step is replay').waitFor();
  await page.getByRole('link', { name: 'Use them for a new job' }).click();
  await hasValue(share, '0.25');
  for (const { id } of (await ask('GET', 'training-jobs'))['data'] as { id: string }[])
    await ask('POST', `training-jobs/${id}/cancel`, {});
  await leave();
});

test('compared jobs of one name are told apart, and a name of any length keeps the page as wide as its window', async () => {
  const { owner, path, datasetId, ask } = await seedLearner();
  const make = async (name: string) => {
    const { id } = await ask('POST', 'training-jobs', { name, base_model: 'fanfold-tiny-chat', dataset_id: datasetId });
    // What it would come to is not of interest here.
    await ask('POST', `training-jobs/${id}/cancel`, {});
    return String(id);
  };
  const long = 'A'.repeat(80);
  const jobs = [await make('Tickets'), await make('Tickets'), await make(long)];
  const { page, go, leave } = await stage.open({ ...owner, viewport: { width: 360, height: 740 } });
  await go(`/projects/${path}/training-jobs/compare?jobs=${jobs.join(',')}`);
  await page.getByRole('columnheader', { name: long }).waitFor();
  await page.getByRole('listitem').filter({ hasText: long }).nth(1).waitFor();
  const heads = await page.getByRole('columnheader').allTextContents();
  assert.equal(new Set(heads).size, jobs.length, heads.join());
  assert.match(heads[0] ?? '', /^Tickets · .+ · …\w{4}$/);
  assert.equal(heads[2], long);
  const legend = await page.getByRole('listitem').allTextContents();
  for (const head of heads)
    assert.equal(legend.filter((name) => name === head).length, 2, `of each of two charts: ${head}`);
  assert.ok(Number(await page.evaluate(tooWide)) <= 0, 'the page is too wide');
  await go(`/projects/${path}/training-jobs?dataset_id=${datasetId}`);
  await page.getByRole('button', { name: 'Dataset: Tickets' }).waitFor();
  await page.getByRole('checkbox').nth(2).waitFor();
  const boxes = await page.getByRole('checkbox').all();
  const labels = await Promise.all(boxes.map((box) => box.getAttribute('aria-label')));
  assert.equal(new Set(labels).size, jobs.length, labels.join());
  await go(`/projects/${path}/training-jobs/${jobs[2]}`);
  await page.getByRole('button', { name: 'Try again' }).click();
  const closing = await page.getByRole('dialog').getByRole('button', { name: 'Close' }).boundingBox();
  assert.ok(closing && closing.x + closing.width < 360, 'what closes the dialog is out of sight');
  await leave();
});

test('the page of a job shows both losses, the selected step and overfitting, on a scale that suits them', async () => {
  const { owner, path, datasetId, ask } = await seedLearner();
  const job = { name: 'Tickets', base_model: 'fanfold-tiny-chat', dataset_id: datasetId };
  const { id } = await ask('POST', 'training-jobs', job);
  await ask('POST', `training-jobs/${id}/cancel`, {});
  const measured = Array.from({ length: 40 }, (_, index) => ({
    step: index + 1,
    loss: 4 / (index + 1),
    held: Math.abs(index - 19) / 20 + 0.5,
  }));
  await stage.database.query(
    `insert into training_metrics (job_id, attempt, name, step, value)
     select $1, 1, name, step, case name when 'loss' then loss else held end
       from json_to_recordset($2) as measured (step integer, loss double precision, held double precision),
            unnest('{loss,eval.loss}'::text[]) name`,
    [id, JSON.stringify(measured)],
  );
  const { page, go, leave } = await stage.open({ ...owner, colorScheme: 'dark' });
  await go(`/projects/${path}/training-jobs/${id}`);
  await page.getByText('The weights of step 20 are kept: they have the lowest validation loss (0.5).').waitFor();
  await page.getByText('Selected step 20').waitFor();
  await page.getByText('Overfitting', { exact: true }).waitFor();
  const legend = await page.getByRole('listitem').allTextContents();
  assert.ok(legend.includes('Training loss') && legend.includes('Validation loss'), legend.join());
  const logScale = page.getByRole('switch', { name: 'Log scale' });
  assert.ok(await logScale.isChecked(), 'the losses span more than a linear scale shows');
  await page.getByRole('rowheader', { name: 'Training loss, Step 40' }).first().waitFor({ state: 'attached' });
  await logScale.uncheck({ force: true });
  await page.getByRole('rowheader', { name: 'Training loss, Step 40' }).first().waitFor({ state: 'attached' });
  await assertAccessible(page, 'curves');
  await leave();
});

test('the dashboard says in the words of its reader what a job does that has no steps yet', async () => {
  const { owner, path } = await seedLearner();
  const [account = '', project = ''] = path.split('/');
  const { page, go, leave } = await stage.open({ ...owner, locale: 'zh-CN' });
  await page.route('**/api/v1/dashboard*', async (route) => {
    const response = await route.fetch({ timeout: 60_000 });
    const dashboard = await response.json();
    const job = { id: 'job_1', name: 'Tickets', project: { owner: account, slug: project } };
    dashboard.training.active = [{ ...job, state: 'preparing', percent: null }];
    await route.fulfill({ response, json: dashboard });
  });
  await go('/');
  await page.getByRole('listitem').filter({ hasText: 'Tickets' }).getByText('准备中').waitFor();
  // The page may be asking again.
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await leave();
});
