import {
  type AddedExample,
  changeOwnDataset,
  type DatasetPath,
  type Datasets,
  findExample,
  type ListedExample,
  type NewExample,
  readOwnDataset,
  type Split,
} from '#datasets';
import type { Database } from '#db';
import type { Principal } from '#http';
import { fault } from '#kernel';
import { messageToBody, withoutImages } from './conversation.ts';
import { findSavedExample, insertSavedExample, type MessageRow } from './messages.store.ts';

export type SaveExampleInput = {
  principal: Principal;
  path: DatasetPath;
  message: MessageRow;
  split: Split;
  content: string | null;
};

export type SavedExample = { example: ListedExample; isNew: boolean };

/**
 * Makes an example of an answer and of all that was said before it. The same answer becomes one example of a dataset,
 * however often it is saved; each edited text becomes one of its own. Throws `not_found`, `kind_mismatch`, `state_conflict`, `invalid_request`.
 */
export async function saveExample(
  { database, datasets }: { database: Database; datasets: Datasets },
  { principal, path, message, split, content }: SaveExampleInput,
): Promise<SavedExample> {
  const { dataset } = await readOwnDataset(database, principal, path);
  if (dataset.kind !== 'text') throw fault('kind_mismatch', { param: 'dataset_id' });
  const prepared = await datasets.prepare(dataset, [exampleOf(message, split, content)]);
  const key = { messageId: message.id, attempt: message.attempt, datasetId: dataset.id };
  return database.transaction(async (tx) => {
    await changeOwnDataset(tx, principal, path);
    const known = content === null ? await findSavedExample(tx, key) : null;
    const before = known === null ? null : await findExample(tx, dataset.id, known);
    if (before) return { example: before, isNew: false };
    const [added] = await datasets.addExamples(tx, { datasetId: dataset.id, examples: prepared, dedupe: 'exact' });
    const id = idOf(added);
    if (content === null) await insertSavedExample(tx, key, id);
    const example = await findExample(tx, dataset.id, id);
    if (!example) throw new Error('An example that was added is not there. This is a bug.');
    return { example, isNew: true };
  });
}

function exampleOf(message: MessageRow, split: Split, edited: string | null): NewExample {
  const answer = messageToBody(edited === null ? message : { ...message, content: edited });
  const { request, role, state } = message;
  if (role !== 'assistant' || !request)
    throw fault('state_conflict', {
      message: 'Only an answer becomes an example.',
      details: { reason: 'not_an_answer' },
    });
  if (state !== 'complete')
    throw fault('state_conflict', {
      message: 'Only a complete answer becomes an example.',
      details: { state, allowed_from: ['complete'] },
    });
  // Its tokens were used up by reasoning.
  if (!answer)
    throw fault('state_conflict', {
      message: 'This answer says nothing that could be learned.',
      details: { reason: 'empty_answer' },
    });
  const reasoning = message.reasoning ? { reasoning_content: message.reasoning } : {};
  // as: requests are made here, with a list of messages.
  const messages = withoutImages(request.messages as unknown[]);
  const content = { messages: [...messages, { ...answer, ...reasoning }], tools: request.tools ?? null };
  return { content, split, origin: 'chat', originId: message.id };
}

function idOf(added: AddedExample | undefined): string {
  if (added?.id) return added.id;
  if (added?.status === 'duplicate')
    throw fault('state_conflict', {
      message: 'The dataset has an equal example already.',
      details: { reason: 'duplicate' },
    });
  throw fault('invalid_request', {
    message: 'This answer cannot be an example.',
    details: { issues: added?.issues ?? [] },
  });
}
