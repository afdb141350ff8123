import type { Static } from 'typebox';
import type { modelsQuery } from './models.contract.ts';
import { refuse } from './refuse.ts';

type Listed = { id: string; created_at: string };

/** A page of models, the newest first. */
export function pageOfModels<Model extends Listed>(
  models: readonly Model[],
  { limit = 20, after_id: afterId, before_id: beforeId }: Static<typeof modelsQuery>,
) {
  const all = models.toSorted((a, b) => (a.created_at < b.created_at ? 1 : a.created_at > b.created_at ? -1 : 0));
  const placeOf = (name: string, id: string) => {
    const place = all.findIndex((model) => model.id === id);
    if (place < 0) throw refuse(name, 'there is no such model in this list');
    return place;
  };
  const start = afterId === undefined ? 0 : placeOf('after_id', afterId) + 1;
  const end = beforeId === undefined ? all.length : placeOf('before_id', beforeId);
  const between = all.slice(start, end);
  // Backwards, a page ends where it was asked to.
  const isBackwards = beforeId !== undefined && afterId === undefined;
  const data = isBackwards ? between.slice(-limit) : between.slice(0, limit);
  return {
    data,
    has_more: data.length < between.length,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
  };
}
