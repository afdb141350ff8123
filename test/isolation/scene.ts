import { newId } from '#kernel';
import { bearer } from '#test/accounts.ts';
import type { Caller, Place, Scene } from './matrix.ts';
import { canary, type World } from './world.ts';

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

/** A key of the owner, made for one cell. */
export async function ownersKey({ owner }: Scene) {
  const { id } = await owner('POST', '/api/v1/keys', { name: 'for one cell' });
  return { params: { keyId: String(id) } };
}

/** The id of a text dataset of a project of the owner, made for one cell. */
export async function textDataset({ world, place }: Scene, projectId = place.projectId): Promise<string> {
  const id = newId('ds');
  await world.database.query(
    `insert into datasets (id, project_id, name, kind, search_text) values ($1, $2, $3, 'text', '')`,
    [id, projectId, `${canary} dataset`],
  );
  return id;
}

/** The request of a row that names something in its path and sends this body. */
export function withBody(make: (scene: Scene) => Promise<{ params: Record<string, string> }>, body: object) {
  return async (scene: Scene) => ({ ...(await make(scene)), body });
}
