import { checkDisplayName, fault } from '#kernel';
import type { Project, ProjectKind } from './projects.store.ts';

/** What a caller asks to change; what is not there stays. `kind` and `slug` are fixed: only their own values pass. */
export type ProjectPatch = {
  name?: string | undefined;
  description?: string | null | undefined;
  visibility?: Project['visibility'] | undefined;
  inferenceAutoSave?: boolean | undefined;
  archived?: boolean | undefined;
  kind?: string | undefined;
  slug?: string | undefined;
};

const settings = ['name', 'description', 'visibility', 'inferenceAutoSave'] as const;

export type ProjectSettings = Pick<Project, (typeof settings)[number]>;

export type ProjectChange = {
  next: ProjectSettings;
  /** Those of the settings that are not what they were. */
  changed: (keyof ProjectSettings)[];
  /** Where it goes; null when it stays where it is. */
  move: 'archive' | 'unarchive' | null;
};

/** What a patch comes to. Faults: `invalid_request` with the field, `kind_mismatch`. */
export function planChange(project: Project, patch: ProjectPatch): ProjectChange {
  checkFixed(project, patch);
  const next = {
    name: patch.name ?? project.name,
    description: patch.description === undefined ? project.description : patch.description,
    visibility: patch.visibility ?? project.visibility,
    inferenceAutoSave: patch.inferenceAutoSave ?? project.inferenceAutoSave,
  };
  const changed = settings.filter((name) => next[name] !== project[name]);
  // What is stored may be older than the rules.
  if (changed.includes('name')) checkDisplayName(next.name, 'name');
  if (changed.includes('description')) checkDescription(next.description);
  checkAutoSave(project.kind, next);
  const isArchived = project.archivedAt !== null;
  const move = patch.archived === undefined || patch.archived === isArchived ? null : patch.archived;
  return {
    next,
    changed,
    move: move === null ? null : move ? 'archive' : 'unarchive',
  };
}

function checkFixed(project: Project, patch: ProjectPatch): void {
  for (const param of ['kind', 'slug'] as const)
    if (patch[param] !== undefined && patch[param] !== project[param])
      throw fault('invalid_request', {
        message: `${param}: it is ${JSON.stringify(project[param])} and cannot be changed.`,
        param,
      });
}

/** Refuses what a project of this kind cannot have. Vectors are never stored (interface 1.7). */
export function checkSettings(kind: ProjectKind, settings: ProjectSettings): void {
  checkDisplayName(settings.name, 'name');
  checkDescription(settings.description);
  checkAutoSave(kind, settings);
}

function checkAutoSave(kind: ProjectKind, { inferenceAutoSave }: ProjectSettings): void {
  if (kind === 'embedding' && inferenceAutoSave)
    throw fault('kind_mismatch', {
      message: 'inference_auto_save: calls of an embedding project are never stored.',
      param: 'inference_auto_save',
    });
}

const maxDescription = 500;

/** Kept as it is sent, so what would not survive storage is refused. It may have several lines. */
function checkDescription(text: string | null): void {
  if (text === null) return;
  const isPlain = text.isWellFormed() && !/[^\P{Cc}\n\r\t]/u.test(text);
  if (isPlain && [...text].length <= maxDescription) return;
  throw fault('invalid_request', {
    message: `description: expected at most ${maxDescription} characters, without control characters.`,
    param: 'description',
  });
}
