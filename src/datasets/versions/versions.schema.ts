import Type, { type Static } from 'typebox';
import { nullable, pageQuery, timestamp } from '#http';
import { splitCountsSchema } from '../datasets.schema.ts';
import type { DatasetVersion } from './versions.store.ts';

export const versionsQuery = Type.Object({
  ...pageQuery,
  dataset_id: Type.Optional(Type.String({ description: 'Only versions of this dataset.', maxLength: 64 })),
});

const label = nullable(Type.String({ maxLength: 80 }), 'A word for people; null: none.');

export const createVersionBody = Type.Object({
  label: Type.Optional(
    Type.Unsafe<string | null>({
      description: 'A word for people, on one line.',
      type: ['string', 'null'],
      maxLength: 80,
    }),
  ),
});

const count = (description: string) => Type.Integer({ description, minimum: 0 });

export const versionSchema = Type.Object(
  {
    id: Type.String({ description: 'Id of the version.' }),
    dataset_id: Type.String({ description: 'Id of its dataset.' }),
    number: count('1 for the first of its dataset, and so on.'),
    label,
    sha256: Type.String({
      description:
        'SHA-256 of the file that it can be downloaded as. Equal content gives equal files, in whatever order it came.',
    }),
    size_bytes: count('Size of that file.'),
    example_count: count('Examples in it.'),
    split_counts: splitCountsSchema,
    token_stats: Type.Object(
      {
        min: count('Of the shortest example.'),
        p50: count('Half of the examples are shorter.'),
        p95: count('Of twenty examples, nineteen are shorter.'),
        max: count('Of the longest example.'),
        total: count('All together.'),
      },
      { description: 'Tokens of its examples.' },
    ),
    parent_version_id: nullable(Type.String(), 'The version before it; null: it is the first.'),
    source: Type.Object(
      {
        kind: Type.Enum(['manual', 'import', 'promotion', 'training'], { description: 'What froze it.' }),
        id: nullable(Type.String(), 'Its id, where it has one.'),
      },
      { description: 'Where it comes from.' },
    ),
    used_by: Type.Object(
      {
        training_jobs: count('Training jobs.'),
        indexes: count('Vector indexes.'),
      },
      { description: 'What was made of it.' },
    ),
    created_at: timestamp('When it was frozen.'),
  },
  {
    $id: 'DatasetVersion',
    description: 'A frozen state of a dataset; it never changes.',
  },
);

export function versionToWire(version: DatasetVersion): Static<typeof versionSchema> {
  const { trainCount, testCount } = version;
  return {
    id: version.id,
    dataset_id: version.datasetId,
    number: version.number,
    label: version.label,
    sha256: version.sha256,
    size_bytes: Number(version.bytes),
    example_count: trainCount + testCount,
    split_counts: { train: trainCount, test: testCount },
    token_stats: version.tokenStats,
    parent_version_id: version.parentVersionId,
    source: { kind: version.sourceKind, id: version.sourceId },
    used_by: { training_jobs: version.usedBy.trainingJobs, indexes: version.usedBy.indexes },
    created_at: version.createdAt.toISOString(),
  };
}
