import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Sql } from '#db';
import { newId } from '#kernel';
import type { ObjectStore } from '#objects';
import type { AdapterFiles } from './adapter-files.ts';
import { createServedJobs } from './trained-models.ts';

const accountId = newId('acc');

/** Jobs that have all succeeded, of which two are kept in mind; `asked` has those that the database was asked for. */
function setUp(fetch: AdapterFiles['fetch'] = async ({ sha256 }) => ({ sha256, path: `/${sha256}` })) {
  const asked: string[] = [];
  const query = async (_: string, [jobIds]: readonly unknown[] = []) => {
    // as: the one statement of these jobs, whose one value are their ids.
    const ids = jobIds as string[];
    asked.push(...ids);
    const row = { accountId, kind: 'text', baseModelId: 'base', state: 'succeeded', attempt: 1, hyperparameters: {} };
    return ids.map((id) => ({ ...row, id, adapterSha256: `sha256 of ${id}` }));
  };
  const jobs = createServedJobs({
    // as: what it asks for is made above.
    sql: { query } as Sql,
    files: { fetch, provideFile: async () => {} },
    objects: { size: async (key) => Promise.reject(new Error(`asked for ${key}`)) } as ObjectStore,
    mostKnown: 2,
  });
  return { jobs, asked };
}

test('lists are told of jobs whose files cannot be had', async () => {
  const { jobs } = setUp(async () => Promise.reject(new Error('The files are gone.')));
  const id = newId('job');
  await assert.rejects(jobs.find([id], accountId), /The files are gone/);
  const described = await jobs.describe([id, 'no id'].map((jobId) => ({ jobId, accountId })));
  assert.deepEqual([...described.values()], [{ jobId: id, maxInputTokens: null, queryInstruction: null }]);
  assert.equal((await jobs.describe([{ jobId: id, accountId: newId('acc') }])).size, 0);
});

test('the jobs called last stay known, with their archives; the one that rested longest is forgotten', async () => {
  const { jobs, asked } = setUp();
  const [often, once, late] = [newId('job'), newId('job'), newId('job')];
  for (const id of [often, once, often, late, often]) await jobs.find([id], accountId);
  assert.deepEqual(asked, [often, once, late]);
  await assert.rejects(jobs.writePeft(`sha256 of ${often}`, '/nowhere'), new RegExp(`asked for .*${often}`));
  await jobs.find([once], accountId);
  assert.deepEqual(asked.slice(3), [once]);
});
