import { findAccountBySlug } from '#accounts';
import { grant } from '#billing';
import { startProgram } from '#test/program.ts';
import { seedSession } from '#test/sessions.ts';
import { startBenchDatabase } from './database.ts';

/** The real program, and somebody who is signed in to it with a project of his own. */
export type SignedInProgram = {
  url: string;
  /** Of his browser. */
  cookie: string;
  /** `owner/project` */
  project: string;
  post: (path: string, body: object) => Promise<Record<string, unknown>>;
  stop: () => Promise<void>;
};

const buildMs = 180_000;

export async function startSignedIn(): Promise<SignedInProgram> {
  const { database, url: databaseUrl, dataDir, drop } = await startBenchDatabase();
  const program = await startProgram({ databaseUrl, dataDir });
  const account = await findAccountBySlug(database, 'local');
  if (!account || program.key === null) throw new Error(`The program did not make its account:\n${program.output()}`);
  await grant(database, { accountId: account.id, micro: 1_000_000_000n, note: 'benchmark' });
  const { cookie } = await seedSession(database, { accountId: account.id });
  const headers = { authorization: `Bearer ${program.key}`, 'content-type': 'application/json' };
  const post = async (path: string, body: object) => {
    const response = await fetch(program.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    // as: every answer that is asked for here is an object.
    return (await response.json()) as Record<string, unknown>;
  };
  await post('/api/v1/projects', { name: 'Help desk', slug: 'help-desk', kind: 'text' });
  await pagesReady(program.url);
  return {
    url: program.url,
    cookie,
    project: 'local/help-desk',
    post,
    async stop() {
      await program.stop();
      await drop();
    },
  };
}

/** Pages are built once after a change of their sources. */
async function pagesReady(url: string): Promise<void> {
  const deadline = performance.now() + buildMs;
  while (performance.now() < deadline) {
    if ((await fetch(url)).ok) return;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  throw new Error('The web app was not built in time.');
}
