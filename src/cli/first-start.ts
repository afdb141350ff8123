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

const compatPath = (project: string) => `/api/projects/${localAccount}/${project}/openai/v1`;

/**
 * `address` is where this process listens, `publicUrl` where clients reach the service, `madeIn` where a database was made;
 * `startLink` is null where an operator can sign in already.
 */
type Greeting = {
  address: string;
  publicUrl: string | null;
  madeIn: string | null;
  key: string | null;
  hasLocal: boolean;
  startLink: string | null;
};

/**
 * Said because somebody who mistyped the data folder would otherwise not understand where the accounts and keys have
 * gone.
 */
export const newDatabaseText = (folder: string) => `There was no database in ${folder}: a new one was made.`;

/**
 * What a person reads after the start. `key` is the fresh one, or null when keys were made before; `hasLocal` is false where
 * the operator made an account before the first start, which then makes none.
 */
export function renderGreeting({ address, publicUrl, madeIn, key, hasLocal, startLink }: Greeting): string {
  const base = publicUrl ?? address;
  const rows = localProjects.map(({ slug, alias }) => ({ url: base + compatPath(slug), alias }));
  const width = Math.max(...rows.map(({ url }) => url.length));
  const lines = ['', `Fanfold listens on ${address}`];
  if (madeIn !== null) lines.push(newDatabaseText(madeIn));
  if (startLink !== null)
    lines.push(
      '',
      'Open this link in a browser to set your address and password (valid once, for 24 hours):',
      `  ${startLink}`,
    );
  lines.push('', 'Base URLs for OpenAI clients:');
  if (hasLocal) for (const { url, alias } of rows) lines.push(`  ${url.padEnd(width)}   model "${alias}"`);
  else lines.push(`  ${base}/api/projects/{owner}/{project}/openai/v1`);
  lines.push('');
  if (!hasLocal) {
    lines.push('Create a project and a key: npm run -s fanfold -- projects create, keys create, each with --account');
  } else if (key === null) {
    lines.push('Keys cannot be shown again. Make another one: npm run -s fanfold -- keys create');
  } else {
    lines.push('API key, shown this once:', `  ${key}`, '', 'Try it:', renderCurl(base, key));
  }
  return [...lines, ''].join('\n');
}

function renderCurl(base: string, key: string): string {
  const [{ slug, alias }] = localProjects;
  const body = JSON.stringify({ model: alias, messages: [{ role: 'user', content: 'Hello! Who are you?' }] });
  return [
    `curl ${base}${compatPath(slug)}/chat/completions \\`,
    `  -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' \\`,
    `  -d '${body}'`,
  ].join('\n');
}
