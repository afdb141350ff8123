import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startScripted, type TrainingServer } from '../training.fixture.ts';

let server: TrainingServer;

before(async () => {
  server = await startScripted();
});

after(() => server?.stop());

/** The last one is for testing, whatever else is held out. */
const examples = Array.from({ length: 31 }, (_, n) => ({
  text: {
    messages: [
      { role: 'user', content: `Say ${n}` },
      { role: 'assistant', content: `It is ${n}.` },
    ],
  },
  split: n < 30 ? 'train' : 'test',
}));

test('what a ratio holds out comes beside what is for testing, in the dry run and in the rows of the job alike', async () => {
  const ada = await server.person();
  const jobs = `${ada.project}/training-jobs`;
  const asked = {
    base_model: 'fanfold-tiny-chat',
    dataset_id: await ada.dataset(examples),
    hyperparameters: { max_steps: 5 },
    evaluation: { test_ratio: 0.4 },
  };
  const { warnings } = await ada.ok('POST', jobs, { ...asked, dry_run: true });
  const [few] = warnings.filter(({ code }: { code: string }) => code === 'few_examples');
  assert.match(few.message, /^18 examples/);
  const { id } = await ada.ok('POST', jobs, asked);
  await ada.until(id, 'succeeded');
  const rows = async (query = '') => {
    const path = `${jobs}/${id}/frozen-dataset${query}`;
    const { text, headers } = await ada.ask('GET', path, undefined, { accept: 'application/x-ndjson' });
    const lines = text.trim().split('\n');
    return { etag: headers.get('etag'), lines, splits: lines.map((line) => JSON.parse(line).split as string) };
  };
  const [all, train, test] = [await rows(), await rows('?split=train'), await rows('?split=test')];
  const { split_counts, tokens, sha256 } = await ada.ok('GET', `${jobs}/${id}/frozen-dataset`);
  assert.deepEqual(split_counts, { train: 30, test: 1 });
  assert.deepEqual([train.lines.length, test.lines.length], [tokens.samples, tokens.held_out]);
  assert.ok(test.lines.length > 1 && train.lines.length > 1);
  assert.deepEqual([...new Set(train.splits), ...new Set(test.splits)], ['train', 'test']);
  assert.deepEqual([...train.lines, ...test.lines].toSorted(), all.lines.toSorted());
  assert.equal(
    new Set([all.etag, train.etag, test.etag, `"${sha256}"`]).size,
    4,
    'other rows than those of the version',
  );
});
