/** Chosen rows of a list; `anchor`: the last one that was clicked, where a range begins. */
export type Selection = { ids: ReadonlySet<string>; anchor: string | null };

export const nothingSelected: Selection = { ids: new Set(), anchor: null };

/** Chooses a row, or takes it back; with `isRange`, the same for all rows from the last one on. `order`: the rows as they are shown. */
export function toggled(
  { ids, anchor }: Selection,
  id: string,
  { isRange, order }: { isRange: boolean; order: readonly string[] },
): Selection {
  const [from, to] = [isRange && anchor !== null ? order.indexOf(anchor) : -1, order.indexOf(id)];
  const range = from < 0 || to < 0 ? [id] : order.slice(Math.min(from, to), Math.max(from, to) + 1);
  const isChosen = !ids.has(id);
  const next = new Set(ids);
  for (const each of range)
    if (isChosen) next.add(each);
    else next.delete(each);
  return { ids: next, anchor: id };
}
