import type { Static } from 'typebox';
import type { ExampleContent } from '../content/example-content.ts';
import { type ImportRecord, noRows } from './import-record.ts';
import type { importSchema } from './imports.schema.ts';
import type { Preview, PreviewRow } from './preview.ts';
import type { previewSchema } from './profile.schema.ts';

export function importToWire(record: ImportRecord): Static<typeof importSchema> {
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
    mapping: record.mapping,
    options: record.options,
    counts: record.counts ?? noRows,
    result: record.result,
    error: record.error,
    created_by: record.createdBy,
    created_at: record.createdAt.toISOString(),
    updated_at: record.updatedAt.toISOString(),
    expires_at: record.expiresAt?.toISOString() ?? null,
    finished_at: record.finishedAt?.toISOString() ?? null,
  };
}

export function previewToWire({ rows, counts, willImport, willSkip, token }: Preview): Static<typeof previewSchema> {
  return {
    rows: rows.map(rowToWire),
    counts,
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
