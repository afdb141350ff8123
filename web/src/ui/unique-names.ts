export type NamedResource = { id: string; name: string; created_at: string };

/** Enough of an id to distinguish resources that were created together. */
const endLength = 4;

/** A name for each resource by id. Equal names get the date of creation and the end of the id. */
export function uniqueNames(
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
