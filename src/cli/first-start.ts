import { createAccount, hasAccounts } from '#accounts';
import { grant } from '#billing';
import { type Database, lockUntilCommit, type Sql } from '#db';
import { microPerCredit, OperatorError } from '#kernel';
import { issueKey } from '#keys';
import { insertHostedModel, type ModelsService } from '#models';
import { createProject, type ProjectKind } from '#projects';

export const localAccount = 'local';

export const localProjects = [
  { slug: 'chat', name: 'Chat', kind: 'text', alias: 'chat', model: 'fanfold-tiny-chat' },
  { slug: 'search', name: 'Search', kind: 'embedding', alias: 'search', model: 'fanfold-tiny-embed' },
] as const satisfies { slug: string; name: string; kind: ProjectKind; alias: string; model: string }[];

const startingCredits = 1000n;

/**
 * Furnishes an installation that has no account yet: the local account, its two projects with an active alias each,
 * starting credits and one key. All or nothing, and once, however many replicas start at the same time.
 *
 * @returns the key, which nobody can read again; null when there was nothing to do.
 */
export function furnish(database: Database, models: ModelsService): Promise<string | null> {
  return database.transaction(async (tx) => {
    await lockUntilCommit(tx, 'firstStart');
    if (await hasAccounts(tx)) return null;
    const { id: accountId } = await createAccount(tx, { slug: localAccount, displayName: 'Local', role: 'admin' });
    for (const project of localProjects) await createLocalProject(tx, { accountId, project, models });
    await grant(tx, { accountId, micro: startingCredits * microPerCredit, note: 'Starting credits' });
    const { key } = await issueKey(tx, { accountId, name: 'First key' });
    return key;
  });
}

type LocalProject = { accountId: string; project: (typeof localProjects)[number]; models: ModelsService };

async function createLocalProject(tx: Sql, { accountId, project, models }: LocalProject): Promise<void> {
  const { slug, name, kind, alias, model } = project;
  const baseModel = models.find(model);
  if (!baseModel) throw new OperatorError(`The catalogue has no ${model}; restore models/catalogue.yaml.`);
  const { id: projectId } = await createProject(tx, { accountId, slug, name, kind });
  await insertHostedModel(tx, { projectId, alias, displayName: baseModel.name, baseModel, active: true });
}
