import type { Sql } from '#db';

export type ProjectCounts = {
  datasets: number;
  trainingJobs: number;
  hostedModels: number;
  pendingRetrievalEvents: number;
};

/** What projects hold, by project id, in one statement. A room that keeps things in projects adds its line. */
export async function countContents(sql: Sql, projectIds: readonly string[]): Promise<Map<string, ProjectCounts>> {
  const rows = await sql.query<ProjectCounts & { id: string }>(
    `select p.id,
            (select count(*)::integer from datasets d where d.project_id = p.id and d.archived_at is null) as "datasets",
            (select count(*)::integer from training_jobs j where j.project_id = p.id) as "trainingJobs",
            (select count(*)::integer from hosted_models h where h.project_id = p.id) as "hostedModels",
            (select coalesce(sum(c.events), 0)::integer
               from datasets d join retrieval_event_counts c on c.dataset_id = d.id and c.state = 'pending'
              where d.project_id = p.id and d.archived_at is null) as "pendingRetrievalEvents"
       from unnest($1::text[]) as p (id)`,
    [projectIds],
    { name: 'projects.count_contents' },
  );
  return new Map(rows.map(({ id, ...counts }) => [id, counts]));
}
