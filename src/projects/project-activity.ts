import { type Actor, recordActivity, systemActor } from '#activity';
import type { Sql } from '#db';
import type { ProjectChange } from './project-change.ts';
import type { Project } from './projects.store.ts';

/** Who asks for a change, and in which request; the installation itself unless it is said. */
export type Author = { actor?: Actor; requestId?: string };

type Told = { project: Project; ownerSlug: string; author: Author };

export function tellOfCreation(tx: Sql, told: Told): Promise<void> {
  const { name, kind, visibility, inferenceAutoSave } = told.project;
  return tell(tx, told, {
    type: 'project.created',
    message: `The project "${name}" was created.`,
    data: { kind, visibility, inference_auto_save: inferenceAutoSave },
  });
}

/** One row for changed settings, and one for a move into the archive or out of it. */
export async function tellOfChange(tx: Sql, told: Told & { before: Project; change: ProjectChange }): Promise<void> {
  const { before, change, project } = told;
  if (change.changed.length > 0)
    await tell(tx, told, {
      type: 'project.updated',
      message: `The project "${project.name}" was changed.`,
      data: { changed: change.changed.map((field) => wireNames[field]), ...fromTo(before, project) },
    });
  if (change.move !== null) {
    const [type, done] = moves[change.move];
    await tell(tx, told, { type, message: `The project "${project.name}" was ${done}.`, data: {} });
  }
}

const wireNames = {
  name: 'name',
  description: 'description',
  visibility: 'visibility',
  inferenceAutoSave: 'inference_auto_save',
} as const;

const moves = {
  archive: ['project.archived', 'archived'],
  unarchive: ['project.unarchived', 'taken out of the archive'],
} as const;

/** Old and new values of what an audit asks for; the text of a description is not kept twice. */
function fromTo(before: Project, after: Project): Record<string, unknown> {
  const audited = ['name', 'visibility', 'inferenceAutoSave'] as const;
  const pairs = audited
    .filter((field) => before[field] !== after[field])
    .map((field) => [wireNames[field], { from: before[field], to: after[field] }] as const);
  return pairs.length === 0 ? {} : { values: Object.fromEntries(pairs) };
}

type Words = {
  type: 'project.created' | 'project.updated' | 'project.archived' | 'project.unarchived';
  message: string;
};

function tell(tx: Sql, { project, ownerSlug, author }: Told, { type, message, data }: Words & { data: object }) {
  const { actor = systemActor, requestId } = author;
  return recordActivity(tx, {
    accountId: project.accountId,
    type,
    actor,
    project: { ownerSlug, slug: project.slug },
    subject: { kind: 'project', id: project.id, label: project.name },
    message,
    data: { ...data },
    ...(requestId === undefined ? {} : { requestId }),
  });
}
