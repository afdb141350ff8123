import type { Sql } from '#db';
import type { EventState } from './event.ts';

/** Puts a locked event into another state. */
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
    `update retrieval_events set state = $3, skipped_reason = $4, updated_at = now() where dataset_id = $1 and id = $2`,
    [datasetId, id, state, skippedReason],
  );
}

export type PromotedEvent = { id: string; exampleId: string };

/** Notes what locked events became. */
export async function updatePromoted(tx: Sql, datasetId: string, events: readonly PromotedEvent[]): Promise<void> {
  await tx.query(
    `update retrieval_events e
        set state = 'promoted', promoted_at = now(), updated_at = now(), example_ids = array[promoted.example_id]
       from unnest($2::text[], $3::text[]) as promoted (id, example_id)
      where e.dataset_id = $1 and e.id = promoted.id`,
    [datasetId, events.map(({ id }) => id), events.map(({ exampleId }) => exampleId)],
  );
}
