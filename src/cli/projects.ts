import { installationSecret } from '#accounts';
import { createCursorCodec, OperatorError } from '#kernel';
import { createProject, inferenceBaseUrl, type ListedProject, listProjects, type ProjectKind } from '#projects';
import type { Config } from '../config.ts';
import { requireAccount } from './accounts.ts';
import { type Cell, everyRow, type ListFlags, note, print, printList } from './terminal.ts';
import { useDatabase } from './use-database.ts';

type OfAccount = { account: string };
export type ProjectFlags = OfAccount & { kind: ProjectKind; name?: string; description?: string; public?: boolean };

export function createProjectCommand(config: Config, slug: string, flags: ProjectFlags) {
  const { account, kind, name, description } = flags;
  return useDatabase(config, async (database) => {
    const { id: accountId } = await requireAccount(database, account);
    const visibility = flags.public ? 'public' : 'private';
    const input = { accountId, slug, kind, name, description, visibility } as const;
    const project = await database.transaction((tx) => createProject(tx, input));
    note(`Project ${project.id} of ${account}, for OpenAI clients at:`);
    print(inferenceBaseUrl(config.publicUrl ?? `http://${config.host}:${config.port}`, project));
  });
}

export function projectKindIn(text: string): ProjectKind {
  if (text === 'text' || text === 'embedding') return text;
  throw new OperatorError('The kind must be text or embedding.');
}

type ListProjectsFlags = OfAccount & ListFlags & { archived?: boolean };

export function listProjectsCommand(config: Config, { account, archived = false, ...flags }: ListProjectsFlags) {
  return useDatabase(config, async (sql) => {
    const { id: accountId } = await requireAccount(sql, account);
    const cursors = createCursorCodec(await installationSecret(sql, 'cursor'));
    const filter = { accountId, access: 'owned', archived, kind: null, search: null } as const;
    const projects = await everyRow((page) => listProjects({ sql, cursors }, filter, page));
    printList(['project', 'kind', 'visibility', 'auto_save', 'created', 'name'], projects.map(rowOf), flags);
  });
}

function rowOf({ ownerSlug, slug, kind, visibility, inferenceAutoSave, createdAt, name }: ListedProject): Cell[] {
  return [`${ownerSlug}/${slug}`, kind, visibility, inferenceAutoSave, createdAt.toISOString(), name];
}
