/** What tells things of one name from each other. */
export type NamedResource = { id: string; name: string; created_at: string };

/** Enough of the end of an id to tell it from those that were made in the same moment. */
const endLength = 4;

/**
 * A name for each thing of a list, by its id. Some may be called the same: then the day on which each was made stands
 * beside it, and the end of its id.
 */
export function namesApart(
  things: readonly NamedResource[],
  dayOf: (at: string) => string,
): ReadonlyMap<string, string> {
  const same = Map.groupBy(things, ({ name }) => name);
  return new Map(
    things.map(({ id, name, created_at }) => {
      const isAlone = same.get(name)?.length === 1;
      return [id, isAlone ? name : `${name} · ${dayOf(created_at)} · …${id.slice(-endLength)}`];
    }),
  );
}
