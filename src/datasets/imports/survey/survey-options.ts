import type { CountingBasis } from '#engine';
import type { ExampleKind } from '../../content/example-content.ts';
import type { SourceIssue } from '../import-record.ts';
import type { Finding } from '../import-runs.store.ts';
import type { RowToKeep } from '../kept/keep-rows.ts';
import type { WireMapping } from '../mapping/mapping.ts';
import type { CountTexts } from './block-judge.ts';
import type { TokenCounts } from './token-counts.ts';

export type SurveyOptions = {
  kind: ExampleKind;
  /** Null: the one that the detected shape asks for. */
  mapping: WireMapping | null;
  sampleRows: number;
  maxRows: number;
  /** Null: no model is installed that could count. */
  ruler: SurveyRuler | null;
  /** Which of these contents the dataset has, as hashes in hex; null: there is no dataset yet. */
  findExisting: ((hashes: readonly Buffer[]) => Promise<ReadonlySet<string>>) | null;
  writeIssue: (line: string) => void;
  /** Told of each row that makes an example. */
  keep?: (row: RowToKeep) => void;
  /** Told between blocks; a rejection ends the survey. */
  onRows: (rows: number) => Promise<void>;
  /** Threads that judge lines beside this one; none: this one does. */
  threads?: number;
};

/** What counts the tokens that a model would see, but for the tokeniser, which is asked about texts. */
export type SurveyRuler = {
  /** Of a conversation, or of each text to embed. */
  maxTokens: number;
  basis: CountingBasis;
  countTexts: CountTexts;
};

export type Survey = Finding & { issues: SourceIssue[]; tokens: TokenCounts };
