import Type from 'typebox';

export const formats = ['jsonl', 'json', 'csv', 'tsv', 'parquet', 'xlsx'] as const;

export const issueCodes = [
  'bad_json',
  'bad_encoding',
  'missing_field',
  'wrong_type',
  'empty_text',
  'last_message_not_assistant',
  'unknown_role',
  'tool_arguments_invalid',
  'tool_unknown',
  'over_token_limit',
  'not_learnable',
  'too_large',
  'duplicate',
  'duplicate_in_file',
  'positive_equals_negative',
  'positive_missing',
] as const;

export const sheetName = (description: string) => Type.String({ description, minLength: 1, maxLength: 255 });

const column = Type.Union([
  Type.String({ maxLength: 500 }),
  Type.Array(Type.String({ maxLength: 500 }), { minItems: 1, maxItems: 16 }),
]);

export const mapping = (text: string) => Type.Record(Type.String(), column, { description: text });

export const mappingText =
  'Columns that make an example. Text: `{messages}`, or `{system?, user, assistant}`, and `{tools?, split?}`. Embedding: `{query, positive | positives, negative? | negatives?, split?}`. `user`, `positives` and `negatives` may name several columns, as a list.';

const optionFields = {
  on_invalid: Type.Enum(['reject', 'skip'], {
    description:
      '`reject`: nothing is imported while a row is not valid. `skip`: rows that are not valid are left out.',
    type: 'string',
    default: 'reject',
  }),
  dedupe: Type.Enum(['none', 'exact'], {
    description: '`exact`: examples that the file or the dataset has already are left out.',
    type: 'string',
    default: 'exact',
  }),
  test_ratio: Type.Number({
    description:
      'Share of the examples that is kept for tests. Of searches it is a share of the queries: all examples of a query go to one side.',
    minimum: 0,
    maximum: 0.5,
    default: 0.2,
  }),
  split_seed: Type.Integer({
    description: 'Draws the split. With the same seed and the same content it always falls the same way.',
    minimum: -2147483648,
    maximum: 2147483647,
    default: 0,
  }),
};

export const optionsSchema = Type.Object(optionFields, { description: 'Options of the last preview.' });

export const integer = (description = '') => Type.Integer({ minimum: 0, ...(description ? { description } : {}) });

export const countsSchema = Type.Object(
  {
    rows: integer('All rows.'),
    valid: integer('Rows that make an example.'),
    invalid: integer('Rows that make none.'),
    duplicates: integer('Rows whose example is there already.'),
    over_token_limit: integer('Valid rows that are too long for the model; no version has them.'),
  },
  { description: 'Counts over every row.' },
);
