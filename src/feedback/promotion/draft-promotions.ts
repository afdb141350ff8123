import type { Dataset, Datasets, PreparedExample, Split } from '#datasets';
import type { Sql } from '#db';
import { findDuplicates } from '../assessment/assess.ts';
import { type Blocker, type Draft, draftExamples, type PromotionCandidate } from '../assessment/draft.ts';
import type { StoredEvent } from '../events/events.store.ts';

/** An event that could be promoted, with what it would become. */
export type PromotionDraft = Draft & {
  split: Split;
  /** Its example, checked and counted; null: there is a blocker. */
  prepared: PreparedExample | null;
};

export type PromotionDecision = {
  /** About the event with this id. */
  choiceOf: (id: string) => Omit<PromotionCandidate, 'event'>;
  /** By the query of the example. */
  splitOf: (query: string) => Split;
};

/** Drafts events. It takes a while and needs no lock. */
export async function draftPromotions(
  datasets: Datasets,
  { dataset, events }: { dataset: Dataset; events: readonly StoredEvent[] },
  { choiceOf, splitOf }: PromotionDecision,
): Promise<PromotionDraft[]> {
  const candidates = events.map((event) => ({ event, ...choiceOf(event.id) }));
  const drafts = await draftExamples(datasets.tokenCounterOf(dataset), candidates);
  const examples = drafts.flatMap(({ event, example }) =>
    example
      ? [
          {
            content: example.content,
            split: splitOf(example.content.query),
            origin: 'retrieval_event' as const,
            originId: event.id,
          },
        ]
      : [],
  );
  const prepared = (await datasets.prepare(dataset, examples)).values();
  return drafts.map((draft) => ({
    ...draft,
    split: splitOf(draft.example?.content.query ?? draft.event.query),
    prepared: draft.example ? (prepared.next().value ?? null) : null,
  }));
}

export type DraftValidation =
  | { status: 'promotable'; draft: PromotionDraft }
  | { status: 'blocked'; blockers: Blocker[] };

/**
 * Which events are promotable, by id: each as if those before it were promoted already. `taught`: pairs of events of an
 * earlier call; those of these events are added.
 */
export async function validateDrafts(
  sql: Sql,
  datasetId: string,
  drafts: readonly PromotionDraft[],
  taught: Set<string> = new Set(),
): Promise<Map<string, DraftValidation>> {
  const duplicates = await findDuplicates(sql, datasetId, drafts);
  const validate = (draft: PromotionDraft): DraftValidation => {
    const { example, prepared } = draft;
    if (!example || !prepared) return { status: 'blocked', blockers: draft.blockers };
    if (!prepared.example?.valid) return { status: 'blocked', blockers: ['over_token_limit'] };
    if (duplicates.has(draft) || example.pairs.every((pair) => taught.has(pair)))
      return { status: 'blocked', blockers: ['duplicate_of_example'] };
    for (const pair of example.pairs) taught.add(pair);
    return { status: 'promotable', draft };
  };
  return new Map(drafts.map((draft) => [draft.event.id, validate(draft)]));
}
