import { engineDialects, isDialectName } from '#engine';
import { isFields, messageOf } from '#kernel';
import type { ModelKind } from '../model-kinds.ts';
import type { ServingRouteRow } from './serving-routes.store.ts';
import { readSecret } from './serving-routes.ts';
import { type RouteSample, tryRoute } from './try-route.ts';

/** What a remote engine answered. */
export type RouteTest = {
  reachable: boolean;
  status: number | null;
  latencyMs: number | null;
  /** Names of its models; null where it does not tell. */
  models: string[] | null;
  /** What it made of a short request; null: nothing, or it was not tried, because there is an error. */
  answer: (RouteSample & { latencyMs: number }) | null;
  /** One line: what is wrong; null: nothing. */
  error: string | null;
};

const timeoutMs = 5_000;
/** Some engines load the model for the first call. */
const answerTimeoutMs = 60_000;

/** Asks the remote engine for its health, for its models, and for one short answer, which nobody pays for. */
export async function testRoute(
  route: ServingRouteRow,
  { kind, environment }: { kind: ModelKind | null; environment: Record<string, string | undefined> },
): Promise<RouteTest> {
  const { api, url, upstreamModel, secretSource } = route;
  const none = { reachable: false, status: null, latencyMs: null, models: null, answer: null };
  if (kind === null) return { ...none, error: `${route.baseModelId} is no base model here.` };
  if (!isDialectName(api)) return { ...none, error: `There is no API ${api}.` };
  const secret = secretSource === null ? null : readSecret(secretSource, environment);
  if (secret === undefined) return { ...none, error: `Its secret is not at ${secretSource}.` };
  const headers: Record<string, string> = secret === null ? {} : { authorization: `Bearer ${secret}` };
  const request = (address: string) =>
    fetch(address, { headers, signal: AbortSignal.timeout(timeoutMs), redirect: 'manual' });
  const post = (path: string, body: object) =>
    fetch(addressOf(url, path), {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(answerTimeoutMs),
      redirect: 'manual',
    });
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
    const probe = { reachable: true, status, latencyMs, models };
    if (error !== null) return { ...probe, answer: null, error };
    return { ...probe, ...(await answerOf(() => tryRoute(route, kind, post))) };
  } catch (error) {
    return { ...none, error: `It cannot be reached: ${reasonOf(error)}` };
  }
}

async function answerOf(attempt: () => Promise<RouteSample>): Promise<Pick<RouteTest, 'answer' | 'error'>> {
  const startedMs = performance.now();
  try {
    const sample = await attempt();
    return { answer: { ...sample, latencyMs: Math.round(performance.now() - startedMs) }, error: null };
  } catch (error) {
    return { answer: null, error: `It gives no answer. ${reasonOf(error)}` };
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
