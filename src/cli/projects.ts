import { installationSecret } from '#accounts';
import { createCursorCodec } from '#kernel';
import { createProject, inferenceBaseUrl, type ListedProject, listProjects, type ProjectKind } from '#projects';
import type { Config } from '../config.ts';
import { requireAccount } from './accounts.ts';
import { everyRow } from './every-row.ts';
import { note, print, renderTable } from './terminal.ts';
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

export function listProjectsCommand(config: Config, { account, archived = false }: OfAccount & { archived?: boolean }) {
  return useDatabase(config, async (sql) => {
    const { id: accountId } = await requireAccount(sql, account);
    const cursors = createCursorCodec(await installationSecret(sql, 'cursor'));
    const filter = { accountId, access: 'owned', archived, kind: null, search: null } as const;
    const projects = await everyRow((page) => listProjects({ sql, cursors }, filter, page));
    print(renderTable(['PROJECT', 'KIND', 'VISIBILITY', 'AUTO-SAVE', 'CREATED', 'NAME'], projects.map(rowOf)));
  });
}

function rowOf({ ownerSlug, slug, kind, visibility, inferenceAutoSave, createdAt, name }: ListedProject): string[] {
  return [`${ownerSlug}/${slug}`, kind, visibility, inferenceAutoSave ? 'yes' : 'no', createdAt.toISOString(), name];
}
