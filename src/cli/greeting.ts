import { localAccount, localProjects } from './first-start.ts';

const compatPath = (project: string) => `/api/projects/${localAccount}/${project}/openai/v1`;

/** `address` is where this process listens, `publicUrl` where clients reach the service, `madeIn` where a database was made. */
type Greeting = {
  address: string;
  publicUrl: string | null;
  madeIn: string | null;
  key: string | null;
  hasLocal: boolean;
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
export function renderGreeting({ address, publicUrl, madeIn, key, hasLocal }: Greeting): string {
  const base = publicUrl ?? address;
  const rows = localProjects.map(({ slug, alias }) => ({ url: base + compatPath(slug), alias }));
  const width = Math.max(...rows.map(({ url }) => url.length));
  const lines = ['', `Fanfold listens on ${address}`];
  if (madeIn !== null) lines.push(newDatabaseText(madeIn));
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
