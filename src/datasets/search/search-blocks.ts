import type { Sql } from '#db';
import type { SearchTerm } from '../content/search-words.ts';
import { idAt, placeOf, placesBefore } from '../examples/example-ids.ts';
import type { Addition } from './additions.store.ts';
import { type BlockPlace, filterTerms, findPages, listEnded } from './blocks.store.ts';
import { MatchBits } from './match-bits.ts';
import type { RestSearch } from './rest-search.ts';

/** A state of a dataset under a filter. */
type State = { datasetId: string; seq: bigint; split: string | null; origin: string | null; valid: boolean | null };

/** What a search finds in large additions. */
export type BlockMatches = {
  count: number;
  /** The newest before an id. */
  newest: (before: string, limit: number) => { id: string; seq: bigint }[];
};

/** Blocks that are looked at together, which bounds what is in memory: a million examples. */
const blocksAtOnce = 32;

type Block = BlockPlace & { addition: Addition; end: number; matches: MatchBits };
type Asked = { blocks: readonly Block[]; terms: readonly SearchTerm[] };

/**
 * Looks for examples that have all terms in additions, which come with the newest first: in their blocks, and what has none
 * yet one by one.
 */
export async function searchBlocks(
  sql: Sql,
  state: State,
  {
    terms: words,
    additions,
    rests,
  }: { terms: readonly SearchTerm[]; additions: readonly Addition[]; rests: RestSearch },
): Promise<BlockMatches> {
  const terms = [...words, ...filterTerms(state)];
  const made = additions.map(blocksOf);
  const unmade = additions.map(restsOf);
  // The last ones of each first.
  const blocks = additions.flatMap((_, index) => [...(unmade[index] ?? []), ...(made[index] ?? [])]);
  if (blocks.length === 0) return { count: 0, newest: () => [] };
  const { datasetId } = state;
  const [ended] = await Promise.all([
    listEnded(sql, { ...state, additions: additions.map(({ seq }) => seq) }),
    match(sql, datasetId, { blocks: made.flat(), terms }),
    ...unmade.flat().map((rest) => rests.find(sql, datasetId, { rest, terms })),
  ]);
  for (const { seq, ids } of ended) {
    const ofAddition = blocks.filter((block) => block.seq === seq);
    for (const id of ids) forget(ofAddition, placeOf(id));
  }
  return {
    count: blocks.reduce((sum, { matches }) => sum + matches.count(), 0),
    newest: (before, limit) => newest(blocks, before, limit),
  };
}

/** What comes after its blocks, as one more. */
function restsOf(addition: Addition): Block[] {
  const first = addition.blockEnds.at(-1) ?? 0;
  const { seq, examples: end } = addition;
  return first === end ? [] : [{ seq, first, end, addition, matches: new MatchBits(end - first) }];
}

/** The last ones first. */
function blocksOf(addition: Addition): Block[] {
  const { seq, blockEnds } = addition;
  const blocks = blockEnds.map((end, index) => {
    const first = blockEnds[index - 1] ?? 0;
    return { seq, first, end, addition, matches: new MatchBits(end - first) };
  });
  return blocks.reverse();
}

async function match(sql: Sql, datasetId: string, { blocks, terms }: Asked): Promise<void> {
  const sought = terms.map(({ word, begins }) => ({ bytes: Buffer.from(word), begins }));
  for (let at = 0; at < blocks.length; at += blocksAtOnce) {
    const some = blocks.slice(at, at + blocksAtOnce);
    const found = some.map(({ matches }) => terms.map(() => new MatchBits(matches.examples)));
    for (const { block, term, entries } of await findPages(sql, datasetId, { blocks: some, terms })) {
      const wanted = sought[term];
      if (wanted) found[block]?.[term]?.addWord(entries, wanted);
    }
    for (const [index, { matches }] of some.entries()) {
      matches.addAll();
      for (const each of found[index] ?? []) matches.keep(each);
    }
  }
}

function forget(blocks: readonly Block[], place: number): void {
  const block = blocks.find(({ first, end }) => first <= place && place < end);
  block?.matches.delete(place - block.first);
}

function newest(blocks: readonly Block[], before: string, limit: number): { id: string; seq: bigint }[] {
  const found: { id: string; seq: bigint }[] = [];
  for (const { addition, first, matches } of blocks) {
    const end = placesBefore(before, addition) - first;
    if (end <= 0) continue;
    for (const place of matches.before(end)) {
      if (found.length === limit) return found;
      found.push({ id: idAt(addition.firstId, first + place), seq: addition.seq });
    }
  }
  return found;
}
