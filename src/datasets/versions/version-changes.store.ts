import type { Sql } from '#db';
import type { Split } from '../examples/new-examples.ts';

export type ChangeKind = 'added' | 'removed' | 'changed';

/** Two states of a dataset; rows alive at them never change. */
export type Stretch = { datasetId: string; fromSeq: bigint; toSeq: bigint };

export type ChangedExample = { json: string; split: Split; tokens: number | null };

export type VersionChange = {
  id: string;
  kind: ChangeKind;
  before: ChangedExample | null;
  after: ChangedExample | null;
};

/** Examples that are in one state and not, or not so, in the other. A version has valid ones only. */
const changes = `moved as materialized (
    select id, content_hash, split, tokens, added_seq <= $2 and removed_seq > $2 as is_before
      from examples
     where dataset_id = $1 and valid
       and (added_seq <= $2 and removed_seq > $2) <> (added_seq <= $3 and removed_seq > $3)
  ), changes as (
    select coalesce(o.id, n.id) as id,
           case when o.id is null then 'added' when n.id is null then 'removed' else 'changed' end as kind,
           o.content_hash as old_hash, o.split as old_split, o.tokens as old_tokens,
           n.content_hash as new_hash, n.split as new_split, n.tokens as new_tokens
      from (select * from moved where is_before) o
      full join (select * from moved where not is_before) n on n.id = o.id
     where (o.content_hash, o.split) is distinct from (n.content_hash, n.split)
  )`;

/** Reading a million examples takes a second or two. */
const options = { timeoutMs: 60_000 };

export type ChangeCounts = Record<ChangeKind, number>;

export async function countChanges(sql: Sql, { datasetId, fromSeq, toSeq }: Stretch): Promise<ChangeCounts> {
  const rows = await sql.query<{ kind: ChangeKind; total: number }>(
    `with ${changes} select kind, count(*)::integer as total from changes group by kind`,
    [datasetId, fromSeq, toSeq],
    options,
  );
  return { added: 0, removed: 0, changed: 0, ...Object.fromEntries(rows.map(({ kind, total }) => [kind, total])) };
}

export function listChanges(
  sql: Sql,
  { datasetId, fromSeq, toSeq }: Stretch,
  { kind, before, limit }: { kind: ChangeKind | null; before: string; limit: number },
): Promise<VersionChange[]> {
  const side = (name: string) => `case when ${name}_hash is not null then json_build_object(
    'json', (select content from example_contents c where c.dataset_id = $1 and c.hash = ${name}_hash),
    'split', ${name}_split, 'tokens', ${name}_tokens) end`;
  return sql.query<VersionChange>(
    `with ${changes}, few as (
       select * from changes where id < $5 and ($4::text is null or kind = $4) order by id desc limit $6
     )
     select id, kind, ${side('old')} as before, ${side('new')} as after from few order by id desc`,
    [datasetId, fromSeq, toSeq, kind, before, limit],
    options,
  );
}
