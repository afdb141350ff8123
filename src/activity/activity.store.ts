import type { Sql } from '#db';
import type { ActivityType, Severity } from './activity-types.ts';

export type ActivityRow = {
  id: string;
  accountId: string;
  type: ActivityType;
  severity: Severity;
  actor: { kind: 'account' | 'api_key' | 'system'; id: string | null; label: string };
  project: { ownerSlug: string; slug: string } | null;
  subject: { kind: string; id: string; label: string };
  message: string;
  data: Record<string, unknown>;
  requestId: string | null;
};

/** `now()` is when the transaction began: of two changes that waited for each other, the later one would come first. */
export async function insertActivity(sql: Sql, row: ActivityRow): Promise<void> {
  await sql.query(
    `insert into activity (id, account_id, type, severity, actor_kind, actor_id, actor_label, project_owner,
       project_slug, subject_kind, subject_id, subject_label, message, data, request_id, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, clock_timestamp())`,
    [
      row.id,
      row.accountId,
      row.type,
      row.severity,
      row.actor.kind,
      row.actor.id,
      row.actor.label,
      row.project?.ownerSlug ?? null,
      row.project?.slug ?? null,
      row.subject.kind,
      row.subject.id,
      row.subject.label,
      row.message,
      JSON.stringify(row.data),
      row.requestId,
    ],
  );
}
