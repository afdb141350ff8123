import type { Sql } from '#db';

export type ServingRouteRow = {
  id: string;
  baseModelId: string;
  api: string;
  url: string;
  upstreamModel: string;
  /** `env:NAME` or `file:/path`; null: no secret. */
  secretSource: string | null;
  capacity: number;
  weight: number;
  draining: boolean;
  /** The model there reads images. */
  vision?: boolean;
  /** Folder that the servers and the engine share, as the servers call it; adapters are put there. Without it, it serves none. */
  adaptersFolder?: string | null;
  /** The same folder as the engine calls it; without it, by the same path. */
  adaptersSeenAs?: string | null;
};

const columns = `id, base_model_id as "baseModelId", api, url, upstream_model as "upstreamModel",
  secret_source as "secretSource", capacity, weight, draining, adapters_folder as "adaptersFolder",
  adapters_seen_as as "adaptersSeenAs", vision`;

export function listRoutes(sql: Sql): Promise<ServingRouteRow[]> {
  return sql.query<ServingRouteRow>(`select ${columns} from serving_routes order by id`, [], {
    name: 'models.list_routes',
  });
}

export async function findRoute(sql: Sql, id: string): Promise<ServingRouteRow | null> {
  const [row] = await sql.query<ServingRouteRow>(`select ${columns} from serving_routes where id = $1`, [id]);
  return row ?? null;
}

/** Adds a route, or sets the one of that name up anew. */
export async function putRoute(sql: Sql, route: ServingRouteRow): Promise<void> {
  const { id, baseModelId, api, url, upstreamModel, secretSource, capacity, weight, draining } = route;
  const { adaptersFolder = null, adaptersSeenAs = null, vision = false } = route;
  await sql.query(
    `insert into serving_routes (id, base_model_id, api, url, upstream_model, secret_source, capacity, weight, draining,
       adapters_folder, adapters_seen_as, vision)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
     on conflict (id) do update set base_model_id = $2, api = $3, url = $4, upstream_model = $5, secret_source = $6,
       capacity = $7, weight = $8, draining = $9, adapters_folder = $10, adapters_seen_as = $11, vision = $12`,
    [
      ...[id, baseModelId, api, url, upstreamModel, secretSource, capacity, weight, draining],
      ...[adaptersFolder, adaptersSeenAs, vision],
    ],
  );
}

export async function setDraining(sql: Sql, { id, draining }: { id: string; draining: boolean }): Promise<boolean> {
  const rows = await sql.query('update serving_routes set draining = $2 where id = $1 returning 1', [id, draining]);
  return rows.length > 0;
}

export async function deleteRoute(sql: Sql, id: string): Promise<boolean> {
  return (await sql.query('delete from serving_routes where id = $1 returning 1', [id])).length > 0;
}
