import { becomePerson, type Person } from '../../src/training/training.fixture.ts';
import { clicks } from '../training/nicknames.ts';
import { trainOf } from '../training/skill.ts';

type Kind = 'text' | 'embedding';

/** The owner of the first start's projects, one of each kind. */
export function peopleOf(origin: string, key: string): { text: Person; embedding: Person } {
  const tenant = { accountId: '', slug: 'local', key, keyId: '' };
  const of = (kind: Kind) => becomePerson({ origin }, tenant, kind);
  return { text: of('text'), embedding: of('embedding') };
}

/** Jobs of both kinds by turns. */
export async function askForJobs(
  people: { text: Person; embedding: Person },
  count: number,
): Promise<{ id: string; kind: Kind }[]> {
  const datasets = {
    text: await people.text.dataset(ticketExamples()),
    embedding: await people.embedding.dataset(clickExamples()),
  };
  const asked: { id: string; kind: Kind }[] = [];
  for (let n = 0; n < count; n++) {
    const kind = n % 2 === 0 ? 'text' : 'embedding';
    const { id } = await askForJob(people[kind], datasets[kind], n);
    asked.push({ id, kind });
  }
  return asked;
}

export function askForJob(person: Person, datasetId: string, seed: number): Promise<{ id: string }> {
  const base = person.project.endsWith('chat') ? 'fanfold-tiny-chat' : 'fanfold-tiny-embed';
  return person.ok('POST', `${person.project}/training-jobs`, {
    base_model: base,
    dataset_id: datasetId,
    hyperparameters: { max_steps: 60, epochs: 20, seed },
  });
}

export const ticketExamples = () =>
  trainOf().map(([prompt, answer]) => ({
    text: {
      messages: [
        { role: 'user', content: prompt },
        { role: 'assistant', content: answer },
      ],
    },
    split: 'train',
  }));

const clickExamples = () =>
  clicks.map(({ query, positive, negatives }) => ({
    embedding: { query, positives: [{ text: positive }], negatives: negatives.map((text) => ({ text })) },
    split: 'train',
  }));
