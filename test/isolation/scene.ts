import { bearer } from '#test/accounts.ts';
import type { Caller, Place, Scene } from './matrix.ts';
import type { World } from './world.ts';

/** What a row gets to make its request from. */
export function sceneOf(world: World, caller: Caller, place: Place): Scene {
  return { world, caller, place, owner: (method, path, body) => askAsOwner({ world, place }, { method, path, body }) };
}

async function askAsOwner(
  { world, place }: { world: World; place: Place },
  { method, path, body }: { method: string; path: string; body: unknown },
): Promise<Record<string, unknown>> {
  const isOfProject = !path.startsWith('/');
  const url = isOfProject ? `/api/v1/projects/${place.ownerSlug}/${place.project}/${path}` : path;
  const response = await fetch(world.app.origin + url, {
    method,
    headers: { ...bearer(world.owner.key), ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(180_000),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`The owner got ${response.status} from ${method} ${url}: ${text}`);
  // as: the routes of this API answer with an object, or with nothing.
  const answer = (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>;
  const { shared, public: open } = world.places[place.kind];
  const isHidden = !isOfProject || (place !== shared && place !== open);
  if (isHidden && typeof answer.id === 'string') world.secrets.add(answer.id);
  return answer;
}
