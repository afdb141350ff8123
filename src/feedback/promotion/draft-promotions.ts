import {
  type AssignedSplit,
  assignQuerySplits,
  type Dataset,
  type Datasets,
  type Issue,
  type PreparedExample,
  type SplitChoice,
  type StorableExample,
} from '#datasets';
import type { Sql } from '#db';
import { plainText } from '#kernel';
import { findDuplicates } from '../assessment/assess.ts';
import {
  type Blocker,
  type Draft,
  type DraftExample,
  draftExamples,
  type PromotionCandidate,
} from '../assessment/draft.ts';
import type { StoredEvent } from '../events/events.store.ts';

/** An event that could be promoted, with what it would become. */
export type PromotionDraft = Draft & {
  /** Its example, checked and counted; null: there is a blocker. Its split is assigned later. */
  prepared: PreparedExample | null;
};

export type PromotionDecision = {
  /** About the event with this id. */
  choiceOf: (id: string) => Omit<PromotionCandidate, 'event'>;
  split: SplitChoice;
};

/** Drafts events. It takes a while and needs no lock. */
export async function draftPromotions(
  datasets: Datasets,
  { dataset, events }: { dataset: Dataset; events: readonly StoredEvent[] },
  { choiceOf }: Pick<PromotionDecision, 'choiceOf'>,
): Promise<PromotionDraft[]> {
  const candidates = events.map((event) => ({ event, ...choiceOf(event.id) }));
  const drafts = await draftExamples(datasets.tokenCounterOf(dataset), candidates);
  const examples = drafts.flatMap(({ event, example }) =>
    example
      ? [{ content: example.content, split: 'train' as const, origin: 'retrieval_event' as const, originId: event.id }]
      : [],
  );
  const prepared = (await datasets.prepare(dataset, examples)).values();
  return drafts.map((draft) => ({
    ...draft,
    prepared: draft.example ? (prepared.next().value ?? null) : null,
  }));
}

export type DraftValidation = { status: 'promotable'; draft: ReadyDraft } | { status: 'blocked'; blockers: Blocker[] };

/** A draft whose example can be added as it is. */
export type ReadyDraft = PromotionDraft & {
  example: DraftExample;
  prepared: { example: StorableExample; issues: Issue[] };
  assigned: AssignedSplit;
};

/**
 * Which events are promotable, by id: each as if those before it were promoted already. `taught`: pairs of events of an
 * earlier call; those of these events are added. Splits are only certain while the dataset is locked.
 */
export async function validateDrafts(
  sql: Sql,
  datasetId: string,
  { drafts, split }: { drafts: readonly PromotionDraft[]; split: SplitChoice },
  taught: Set<string> = new Set(),
): Promise<Map<string, DraftValidation>> {
  const duplicates = await findDuplicates(sql, datasetId, drafts);
  const queries = drafts.flatMap(({ example }) => example?.content.query ?? []);
  const splits = await assignQuerySplits(sql, { datasetId, queries }, split);
  const validate = (draft: PromotionDraft): DraftValidation => {
    const { example, prepared } = draft;
    if (!example || !prepared) return { status: 'blocked', blockers: draft.blockers };
    const assigned = splits.get(example.content.query);
    if (!assigned || !prepared.example?.valid) return { status: 'blocked', blockers: ['over_token_limit'] };
    if (duplicates.has(draft) || example.pairs.every((pair) => taught.has(pair)))
      return { status: 'blocked', blockers: ['duplicate_of_example'] };
    for (const pair of example.pairs) taught.add(pair);
    const placed = { example: { ...prepared.example, split: assigned.split }, issues: prepared.issues };
    return { status: 'promotable', draft: { ...draft, example, prepared: placed, assigned } };
  };
  return new Map(drafts.map((draft) => [draft.event.id, validate(draft)]));
}

/** The query of an example that is in both splits with it. */
export function leakedQueryOf({ example, assigned }: ReadyDraft): string | null {
  return assigned.isLeaked ? plainText(example.content.query) : null;
}
