import { systemActor } from '#activity';
import type { Database } from '#db';
import { seedAccount, seedProject } from '#test/accounts.ts';
import { createDataset } from './datasets.ts';
import { type PreparedExample, prepareExamples, type Split } from './examples/new-examples.ts';

/** A dataset of an account of its own, and how to ask this room for things. */
export async function seedDataset(database: Database, { kind = 'text' }: { kind?: 'text' | 'embedding' } = {}) {
  const { accountId, slug: ownerSlug } = await seedAccount(database);
  const { projectId, slug } = await seedProject(database, { accountId, kind });
  const author = { accountId, actor: systemActor, project: { ownerSlug, slug } };
  const project = { id: projectId, kind };
  const dataset = await database.transaction((tx) =>
    createDataset(tx, { project, name: 'Lamps', author, maxDatasets: 100 }),
  );
  return { accountId, ownerSlug, project, projectSlug: slug, author, dataset, datasetId: dataset.id };
}

/** A conversation that says this; equal words are a duplicate. */
export const saying = (words: string) => ({
  messages: [
    { role: 'user', content: words },
    { role: 'assistant', content: 'Yes.' },
  ],
});

/** Checked, not counted. */
export async function prepared(...examples: { words: string; split?: Split }[]): Promise<PreparedExample[]> {
  return prepareExamples(
    examples.map(({ words, split = 'train' }) => ({ content: saying(words), split, origin: 'manual', originId: null })),
    { kind: 'text', tokenCounter: null },
  );
}
