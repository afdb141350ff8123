import { type Sql, timeText } from '#db';
import type { CountedRows, ListPosition } from '#kernel';
import { type HostedModel, type HostedState, hostedColumns } from './hosted-models.store.ts';

export type ListedModel = HostedModel & { shareCount: number; position: string };

/** `q` is folded text. */
export type AliasFilter = { projectId: string; state: HostedState | null; q: string | null };

/** Shares that have not expired. */
const shareCount = `(select count(*)::integer from model_shares s
    where s.hosted_model_id = h.id and (s.expires_at is null or s.expires_at > now())) as "shareCount"`;

const matches = `h.project_id = $1 and ($2::text is null or h.state = $2)
        and ($3::text is null or position($3 in h.search_text) > 0)`;

/** Aliases of a project after a position, newest first, and how many there are in all. */
export async function listAliases(
  sql: Sql,
  { projectId, state, q }: AliasFilter,
  { after, limit }: { after: ListPosition; limit: number },
): Promise<CountedRows<ListedModel>> {
  const filter = [projectId, state, q];
  const [rows, [count]] = await Promise.all([
    sql.query<ListedModel>(
      `select ${hostedColumns}, ${shareCount},
              ${timeText('h.created_at')} as position
         from hosted_models h
        where ${matches}
          and h.created_at <= $4 and (h.created_at < $4 or h.id collate "C" < $5)
        order by h.created_at desc, h.id desc limit $6`,
      [...filter, after.createdAt, after.id, limit],
    ),
    sql.query<{ total: number }>(`select count(*)::integer as total from hosted_models h where ${matches}`, filter),
  ]);
  return { rows, totalCount: count?.total ?? 0 };
}

export async function countShares(sql: Sql, hostedModelId: string): Promise<number> {
  const [row] = await sql.query<{ shareCount: number }>(`select ${shareCount} from hosted_models h where h.id = $1`, [
    hostedModelId,
  ]);
  return row?.shareCount ?? 0;
}
