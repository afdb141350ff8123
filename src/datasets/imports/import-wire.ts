import type { Static } from 'typebox';
import type { ExampleContent } from '../content/example-content.ts';
import type { ImportOptions, ImportProfile, ImportRecord, RowCounts } from './import-record.ts';
import type { importSchema } from './imports.schema.ts';
import type { Preview, PreviewRow } from './preview.ts';
import type { previewSchema, profileSchema } from './profile.schema.ts';

const none: RowCounts = { rows: 0, valid: 0, invalid: 0, duplicates: 0, overTokenLimit: 0 };

export function importToWire(record: ImportRecord): Static<typeof importSchema> {
  const { result, mapping } = record;
  return {
    id: record.id,
    dataset_id: record.datasetId,
    dataset_name: record.datasetName,
    kind: record.kind,
    state: record.state,
    file: {
      name: record.fileName,
      size_bytes: record.sizeBytes,
      received_bytes: record.receivedBytes,
      sha256: record.sha256,
    },
    format: record.profile?.format ?? record.readerOptions.format,
    progress: {
      phase: record.phase,
      rows_done: record.rowsDone,
      rows_total: record.rowsTotal,
      percent: record.percent,
    },
    mapping: mapping && mappingToWire(mapping),
    options: optionsToWire(record.options),
    counts: countsToWire(record.counts ?? none),
    result: result && {
      version_id: result.versionId,
      examples_added: result.examplesAdded,
      rows_skipped: result.rowsSkipped,
    },
    error: record.error,
    created_by: { ...record.createdBy },
    created_at: record.createdAt.toISOString(),
    updated_at: record.updatedAt.toISOString(),
    expires_at: record.expiresAt?.toISOString() ?? null,
    finished_at: record.finishedAt?.toISOString() ?? null,
  };
}

function mappingToWire(
  mapping: Readonly<Record<string, string | readonly string[]>>,
): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(mapping).map(([field, value]) => [field, typeof value === 'string' ? value : [...value]]),
  );
}

function optionsToWire({ onInvalid, dedupe, testRatio, splitSeed }: ImportOptions) {
  return { on_invalid: onInvalid, dedupe, test_ratio: testRatio, split_seed: splitSeed };
}

function countsToWire({ rows, valid, invalid, duplicates, overTokenLimit }: RowCounts) {
  return { rows, valid, invalid, duplicates, over_token_limit: overTokenLimit };
}

export function profileToWire(profile: ImportProfile): Static<typeof profileSchema> {
  const { format, encoding, delimiter, gzip, counts, tokenStats, tokenHistogram } = profile;
  return {
    format,
    encoding,
    delimiter,
    gzip,
    columns: profile.columns.map(({ name, type, nullCount, samples }) => ({
      name,
      type,
      samples,
      null_count: nullCount,
    })),
    detected_shape: profile.shape,
    suggested_mapping: profile.suggestedMapping && mappingToWire(profile.suggestedMapping),
    rows: counts.rows,
    valid: counts.valid,
    invalid: counts.invalid,
    token_stats: tokenStats,
    token_histogram: tokenHistogram,
    duplicates: counts.duplicates,
    issues: profile.issues.map(({ code, count, firstLine }) => ({ code, count, first_line: firstLine })),
  };
}

export function previewToWire({ rows, counts, willImport, willSkip, token }: Preview): Static<typeof previewSchema> {
  return {
    rows: rows.map(rowToWire),
    counts: countsToWire(counts),
    will_import: willImport,
    will_skip: willSkip,
    preview_token: token,
  };
}

function rowToWire({ line, source, example, issues }: PreviewRow) {
  return {
    line,
    source,
    example: example && { ...contentToWire(example.content), split: example.split, tokens: example.tokens },
    issues,
  };
}

function contentToWire(content: ExampleContent) {
  return 'query' in content ? { text: null, embedding: content } : { text: content, embedding: null };
}
