import { engineDialects, isDialectName } from '#engine';
import { isFields, messageOf } from '#kernel';
import type { ServingRouteRow } from './serving-routes.store.ts';
import { readSecret } from './serving-routes.ts';

/** What a remote engine answered. */
export type RouteTest = {
  reachable: boolean;
  status: number | null;
  latencyMs: number | null;
  /** Names of its models; null where it does not tell. */
  models: string[] | null;
  /** One line: what is wrong; null: nothing. */
  error: string | null;
};

const timeoutMs = 5_000;

/** Asks the remote engine for its health, and for its models; nothing is generated. */
export async function testRoute(
  { api, url, upstreamModel, secretSource }: ServingRouteRow,
  environment: Record<string, string | undefined>,
): Promise<RouteTest> {
  const none = { reachable: false, status: null, latencyMs: null, models: null };
  if (!isDialectName(api)) return { ...none, error: `There is no API ${api}.` };
  const secret = secretSource === null ? null : readSecret(secretSource, environment);
  if (secret === undefined) return { ...none, error: `Its secret is not at ${secretSource}.` };
  const headers: Record<string, string> = secret === null ? {} : { authorization: `Bearer ${secret}` };
  const request = (address: string) =>
    fetch(address, { headers, signal: AbortSignal.timeout(timeoutMs), redirect: 'manual' });
  const startedMs = performance.now();
  try {
    const health = await request(addressOf(url, engineDialects[api].healthPath));
    await health.body?.cancel();
    const { status } = health;
    const latencyMs = Math.round(performance.now() - startedMs);
    const models = await modelsOf(() => request(`${url}/models`));
    const lacks = models !== null && !models.includes(upstreamModel);
    const error =
      status >= 400
        ? `It answered ${status}.`
        : lacks
          ? `It has no model ${upstreamModel}; it has ${models.slice(0, 10).join(', ') || 'none'}.`
          : null;
    return { reachable: true, status, latencyMs, models, error };
  } catch (error) {
    return { ...none, error: `It cannot be reached: ${reasonOf(error)}` };
  }
}

function reasonOf(error: unknown): string {
  return messageOf(error instanceof Error && error.cause !== undefined ? error.cause : error);
}

/** Paths of the server itself begin with `//`. */
function addressOf(url: string, path: string): string {
  return path.startsWith('//') ? new URL(path.slice(1), url).href : url + path;
}

async function modelsOf(request: () => Promise<Response>): Promise<string[] | null> {
  const response = await request().catch(() => null);
  const body: unknown = response?.ok ? await response.json().catch(() => null) : null;
  if (!isFields(body) || !Array.isArray(body.data)) return null;
  return body.data.flatMap((model: unknown) => (isFields(model) && typeof model.id === 'string' ? [model.id] : []));
}
