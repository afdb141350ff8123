import Type from 'typebox';
import { nullable } from '#http';
import { countsSchema, formats, integer, issueCodes, mapping, mappingText } from './import-terms.schema.ts';
import { shapes } from './mapping/detect-shape.ts';

const tokenStats = Type.Object(
  {
    min: integer('Of the shortest row.'),
    p50: integer('Half of the rows have no more.'),
    p95: integer('95 of 100 rows have no more.'),
    max: integer('Of the longest row.'),
    total: integer('Of all rows together.'),
  },
  { description: 'Tokens of the valid rows, as the model counts them.' },
);

const issueFields = {
  line: integer('Line where the row begins, from 1; the number of the row in Parquet and Excel.'),
  byte_offset: nullable(
    integer(),
    'Where the row begins in the text, after decompression and as UTF-8; null in Parquet and Excel.',
  ),
  pointer: Type.String({ description: 'Where in the row, as a JSON pointer; empty for all of it.' }),
  code: Type.Enum([...issueCodes], { description: 'What is wrong.', type: 'string' }),
  message: Type.String({ description: 'The same in words.' }),
  hint: nullable(Type.String(), 'What helps.'),
  excerpt: Type.String({ description: 'Beginning of the row.' }),
};

export const issueSchema = Type.Object(issueFields, { description: 'An issue of a row.' });

export const profileSchema = Type.Object({
  format: Type.Enum([...formats], { description: 'Format.', type: 'string' }),
  encoding: nullable(Type.String(), 'Encoding; null in Parquet and Excel.'),
  delimiter: nullable(Type.String(), 'Delimiter of CSV and TSV.'),
  gzip: Type.Boolean({ description: 'Whether it is packed with gzip.' }),
  sheet: nullable(Type.String(), 'Sheet that was read; null for all formats but Excel.'),
  sheets: Type.Array(Type.String(), { description: 'Sheets of the workbook.' }),
  columns: Type.Array(
    Type.Object({
      name: Type.String({ description: 'Name.' }),
      type: Type.String({ description: '`string`, `number`, `boolean`, `object`, `array`, `mixed` or `null`.' }),
      null_count: integer('Rows without a value.'),
      samples: Type.Array(Type.String(), { description: 'Up to three values.' }),
    }),
    { description: 'Columns; at most 200 are shown.' },
  ),
  detected_shape: Type.Enum([...shapes], { description: 'Known shape.', type: 'string' }),
  suggested_mapping: nullable(mapping(mappingText), 'Mapping that the shape asks for.'),
  rows: integer('All rows.'),
  valid: integer('Rows that make an example.'),
  invalid: integer('Rows that make none.'),
  token_stats: tokenStats,
  token_histogram: Type.Array(
    Type.Object({
      from: integer('Fewest tokens.'),
      to: integer('Most tokens.'),
      rows: integer('Rows that have as many.'),
    }),
    {
      description:
        'How the lengths of the valid rows are spread; the last range takes the few that are far longer than the others.',
    },
  ),
  duplicates: integer('Rows whose example is there already.'),
  issues: Type.Array(
    Type.Object({
      code: Type.Enum([...issueCodes], { description: 'What is wrong.', type: 'string' }),
      count: integer('How often.'),
      first_line: integer('Where first.'),
    }),
    { description: 'Issues of all rows by their code.' },
  ),
});

export const previewSchema = Type.Object({
  rows: Type.Array(
    Type.Object({
      line: issueFields.line,
      source: Type.Unknown({ description: 'The row as the file has it; as text where it could not be read.' }),
      example: nullable(
        Type.Object({
          text: nullable(Type.Unknown(), 'Example of a text project.'),
          embedding: nullable(Type.Unknown(), 'Example of an embedding project.'),
          split: nullable(Type.String(), 'Split that the row says; null: it is drawn.'),
          tokens: nullable(integer(), 'Tokens.'),
        }),
        'What becomes of it; null: nothing.',
      ),
      issues: Type.Array(issueSchema, { description: 'What is wrong with it.' }),
    }),
    { description: 'The first rows.' },
  ),
  counts: countsSchema,
  will_import: integer('Examples that a confirmation would add.'),
  will_skip: integer('Rows that it would leave out.'),
  preview_token: Type.String({ description: 'Confirms exactly this.' }),
});
