export const labels = ['positive', 'negative', 'neutral'] as const;
type Label = (typeof labels)[number];

export const signals = ['click', 'dwell', 'thumb', 'copy', 'conversion', 'manual'] as const;
type Signal = (typeof signals)[number];

export const eventStates = ['pending', 'needs_judgment', 'skipped', 'promoted'] as const;
export type EventState = (typeof eventStates)[number];

/** One line of what a search showed. Stored and shown in this form: the one of the interface. */
export type EventResult = { rank: number; document_id: string | null; text: string; score: number | null };

/** What somebody did with a result, or said about it; exactly one of `rank` and `document_id` names it. */
export type Judgment = {
  rank: number | null;
  document_id: string | null;
  label: Label;
  signal: Signal | null;
  strength: number;
};

/** What a search reports beside query, results and judgments; stored as it was sent. */
export type EventDetails = {
  index_id: string | null;
  request_id: string | null;
  user_ref: string | null;
  occurred_at: string | null;
  metadata: Record<string, string>;
};

export type ReportedEvent = {
  externalId: string | null;
  query: string;
  /** By rank. */
  results: EventResult[];
  judgments: Judgment[];
  model: string | null;
  details: EventDetails;
};

export const limits = {
  maxBatch: 100,
  maxResults: 50,
  maxJudgments: 50,
  maxQuery: 8_192,
  /** Characters of one result, and of all results of an event. */
  maxText: 32_768,
  maxTexts: 524_288,
  maxId: 256,
  maxName: 128,
  maxModel: 200,
  maxRank: 1_000_000,
  metadataKeys: 16,
  metadataKey: 64,
  metadataValue: 256,
} as const;
