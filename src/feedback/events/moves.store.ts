import type { Sql } from '#db';
import type { EventState } from './event.ts';
import { endsOf } from './events.store.ts';

export async function updateState(
  tx: Sql,
  {
    datasetId,
    id,
    state,
    skippedReason,
  }: { datasetId: string; id: string; state: EventState; skippedReason: string | null },
): Promise<void> {
  await tx.query(
    `update reported_events set state = $3, skipped_reason = $4, updated_at = now() where dataset_id = $1 and id = $2`,
    [datasetId, id, state, skippedReason],
    { name: 'feedback.update_state' },
  );
}

export type PromotedEvent = { id: string; exampleId: string };

export async function updatePromoted(tx: Sql, datasetId: string, events: readonly PromotedEvent[]): Promise<void> {
  const ids = events.map(({ id }) => id);
  await tx.query(
    `update reported_events e
        set state = 'promoted', promoted_at = now(), updated_at = now(), example_ids = array[promoted.example_id]
       from unnest($2::text[], $3::text[]) as promoted (id, example_id)
      where e.dataset_id = $1 and e.id = promoted.id and e.id >= $4 and e.id <= $5`,
    [datasetId, ids, events.map(({ exampleId }) => exampleId), ...endsOf(ids)],
    { name: 'feedback.update_promoted' },
  );
}
