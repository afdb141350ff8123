import type { Sql } from '#db';
import {
  type CursorCodec,
  checkDisplayName,
  fault,
  foldText,
  isId,
  type Listed,
  type ListPage,
  newId,
  type PageRequest,
  readListPage,
} from '#kernel';
import type { ProjectSeen } from '#projects';
import { datasetIsArchived, noSuchDataset } from './dataset-access.ts';
import { type DatasetAuthor, recordDatasetActivity } from './dataset-activity.ts';
import {
  countDatasets,
  countOpen,
  type Dataset,
  type DatasetFilter,
  findDataset,
  insertDataset,
  type LockedDataset,
  listDatasets as listRows,
  lockContents,
  updateDataset,
} from './datasets.store.ts';

export type NewDataset = {
  project: Pick<ProjectSeen, 'id' | 'kind'>;
  name: string;
  description?: string | null;
  targetModel?: string | null;
  author: DatasetAuthor;
  maxDatasets: number;
};

/** Makes a dataset of the project's kind. Throws `invalid_request` for a bad field, `state_conflict` when there are too many. */
export async function createDataset(tx: Sql, input: NewDataset): Promise<Dataset> {
  const { project, maxDatasets } = input;
  await reserveDatasetSlot(tx, { projectId: project.id, maxDatasets });
  return insertNew(tx, input);
}

/**
 * The same in a transaction that goes on for long, which would keep others from making datasets meanwhile: it must end with
 * `claimDatasetSlot`. Refuses at once where the limit is reached already.
 */
export async function createDatasetEarly(tx: Sql, input: NewDataset): Promise<Dataset> {
  const { project, maxDatasets } = input;
  refuseBeyond(maxDatasets, await countOpen(tx, project.id));
  return insertNew(tx, input);
}

/** Makes sure, shortly before the end of its transaction, that the limit allows a dataset that was made early. */
export async function claimDatasetSlot(tx: Sql, { project, maxDatasets }: Pick<NewDataset, 'project' | 'maxDatasets'>) {
  await lockContents(tx, project.id);
  const others = (await countOpen(tx, project.id)) - 1;
  refuseBeyond(maxDatasets, others);
}

async function insertNew(tx: Sql, input: NewDataset): Promise<Dataset> {
  const { project, targetModel = null, author } = input;
  const { id: projectId, kind } = project;
  const texts = checkTexts({ name: input.name, description: input.description ?? null });
  const id = newId('ds');
  await insertDataset(tx, { id, projectId, kind, targetModel, ...texts, searchText: searchTextOf(texts) });
  await recordDatasetActivity(tx, author, {
    type: 'dataset.created',
    dataset: { id, name: texts.name },
    message: `The dataset "${texts.name}" was created.`,
    data: { kind },
  });
  return found(await findDataset(tx, { projectId, id }));
}

/** What a caller asks to change; what is not there stays. `targetModel` is fixed: only its own value passes. */
type DatasetPatch = {
  name?: string | undefined;
  description?: string | null | undefined;
  archived?: boolean | undefined;
  targetModel?: string | null | undefined;
};

export type DatasetUpdate = { patch: DatasetPatch; author: DatasetAuthor; maxDatasets: number };

/**
 * Changes a locked dataset. What is already as requested stays as it is. Throws `invalid_request` for a bad or fixed field
 * and `state_conflict` for a change in the archive or too many open datasets.
 */
export async function changeDataset(tx: Sql, before: LockedDataset, update: DatasetUpdate): Promise<Dataset> {
  const { id, projectId } = before;
  const { patch, author, maxDatasets } = update;
  const next = planChange(before, patch);
  if (next.isSame) return found(await findDataset(tx, { projectId, id }));
  if (before.archived && next.archived) throw datasetIsArchived();
  if (before.archived) await reserveDatasetSlot(tx, { projectId, maxDatasets });
  await updateDataset(tx, { id, ...next.texts, searchText: searchTextOf(next.texts), archived: next.archived });
  if (next.archived !== before.archived)
    await recordDatasetActivity(tx, author, {
      type: next.archived ? 'dataset.archived' : 'dataset.unarchived',
      dataset: { id, name: next.texts.name },
      message: `The dataset "${next.texts.name}" was ${next.archived ? 'archived' : 'taken out of the archive'}.`,
    });
  return found(await findDataset(tx, { projectId, id }));
}

function planChange(before: LockedDataset, patch: DatasetPatch) {
  if (patch.targetModel !== undefined && patch.targetModel !== before.targetModel)
    throw fault('invalid_request', {
      message: `target_model: it is ${JSON.stringify(before.targetModel)} and cannot be changed.`,
      param: 'target_model',
    });
  const { name = before.name, description = before.description, archived = before.archived } = patch;
  // What is stored may be older than the rules.
  if (name !== before.name) checkDisplayName(name, 'name');
  if (description !== before.description) checkDescription(description);
  const texts = { name, description };
  const isSame = name === before.name && description === before.description && archived === before.archived;
  return { texts, archived, isSame };
}

type Texts = { name: string; description: string | null };

const maxDescription = 500;

function checkTexts({ name, description }: Texts): Texts {
  checkDisplayName(name, 'name');
  checkDescription(description);
  return { name, description };
}

function checkDescription(description: string | null): void {
  const isPlain = description === null || (description.isWellFormed() && !/[^\P{Cc}\n\r\t]/u.test(description));
  if (isPlain && [...(description ?? '')].length <= maxDescription) return;
  throw fault('invalid_request', {
    message: `description: expected at most ${maxDescription} characters, without control characters.`,
    param: 'description',
  });
}

const searchTextOf = ({ name, description }: Texts) => foldText(`${name}\n${description ?? ''}`);

async function reserveDatasetSlot(
  tx: Sql,
  { projectId, maxDatasets }: { projectId: string; maxDatasets: number },
): Promise<void> {
  await lockContents(tx, projectId);
  refuseBeyond(maxDatasets, await countOpen(tx, projectId));
}

function refuseBeyond(maxDatasets: number, openDatasets: number): void {
  if (openDatasets < maxDatasets) return;
  throw fault('state_conflict', {
    message: `The project has ${openDatasets} datasets and may have ${maxDatasets}. Archive one first.`,
    details: { reason: 'max_datasets', limit: maxDatasets, actual: openDatasets },
  });
}

function found(dataset: Dataset | null): Dataset {
  if (!dataset) throw new Error('A dataset that was written is not there. This is a bug.');
  return dataset;
}

export function listDatasets(
  { sql, cursors }: { sql: Sql; cursors: CursorCodec },
  filter: DatasetFilter,
  page: PageRequest,
): Promise<ListPage<Listed<Dataset>>> {
  const scope = ['datasets', filter.projectId, String(filter.archived), filter.q ?? ''];
  return readListPage({ cursors, scope }, page, {
    list: (rows) => listRows(sql, filter, rows),
    count: () => countDatasets(sql, filter),
  });
}

export async function readDataset(sql: Sql, address: { projectId: string; id: string }): Promise<Dataset> {
  const dataset = isId('ds', address.id) ? await findDataset(sql, address) : null;
  if (!dataset) throw noSuchDataset();
  return dataset;
}
