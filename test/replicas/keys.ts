import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '#test/random.ts';
import type { Replica } from './replica.ts';

type Access = { url: string; key: string; replicas: readonly Replica[]; random: Random };

/** What became of the keys that were made and deleted while things broke. */
export type KeyReport = { deleted: number; checks: number; revived: string[] };

/**
 * Makes keys, sees them work, deletes them through some replica and tries them on every other at once; at the end all of
 * them again. A deletion whose answer was lost is none.
 */
export async function watchKeys(access: Access, signal: AbortSignal): Promise<() => Promise<KeyReport>> {
  const report: KeyReport = { deleted: 0, checks: 0, revived: [] };
  const gone: string[] = [];
  const check = async (key: string, when: string) => {
    const statuses = await Promise.all(access.replicas.map(({ url }) => tryKey(url, key)));
    statuses.forEach((status, n) => {
      // No answer, or 503 from who cannot ask the database, lets nobody in.
      if (status === 401) report.checks += 1;
      if (status === 200) report.revived.push(`${access.replicas[n]?.name} ${when}`);
    });
  };
  const watching = (async () => {
    while (!signal.aborted) {
      const made = await makeKey(access).catch(() => null);
      if (made && (await deleteKey(access, made.id).catch(() => false))) {
        gone.push(made.key);
        report.deleted += 1;
        await check(made.key, 'at once');
      }
      await sleep(200);
    }
  })();
  return async () => {
    await watching;
    for (const key of gone) await check(key, 'at the end');
    return report;
  };
}

type MadeKey = { id: string; key: string };

export async function makeKey({ url, key, random, replicas }: Access): Promise<MadeKey | null> {
  const response = await send(url, key, { method: 'POST', path: '/api/v1/keys', body: { name: 'For a moment' } });
  const made: unknown = await response.json();
  if (response.status !== 201) return null;
  // as: the contract says so.
  const { id, key: secret } = made as MadeKey;
  await tryKey(random.pick(replicas).url, secret);
  return { id, key: secret };
}

async function deleteKey({ key, random, replicas }: Access, id: string): Promise<boolean> {
  const response = await send(random.pick(replicas).url, key, { method: 'DELETE', path: `/api/v1/keys/${id}` });
  await response.text();
  return response.status === 204;
}

/** The status; 0: no answer. */
async function tryKey(url: string, key: string): Promise<number> {
  try {
    const response = await send(url, key, { method: 'GET', path: '/api/v1/projects' });
    await response.text();
    return response.status;
  } catch {
    return 0;
  }
}

export type Sent = { method: string; path: string; body?: object };

export function send(url: string, key: string, { method, path, body }: Sent): Promise<Response> {
  return fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
    signal: AbortSignal.timeout(3_000),
  });
}
