import Type from 'typebox';
import { nullable, timestamp } from '#http';
import { importStates } from './import-record.ts';
import { countsSchema, integer, mapping, mappingText, optionsSchema } from './import-terms.schema.ts';

export const importSchema = Type.Object(
  {
    id: Type.String({ description: 'Identifier.' }),
    dataset_id: nullable(Type.String(), 'Dataset; null until a new one is made.'),
    dataset_name: nullable(Type.String(), 'Name of the dataset to be made.'),
    kind: Type.Enum(['text', 'embedding'], { description: 'Kind of the project.', type: 'string' }),
    state: Type.Enum([...importStates], {
      description:
        'From `awaiting_upload` over `uploaded`, `profiling`, `ready` and `importing` to `completed`; or `failed`, `canceled`, `expired`.',
      type: 'string',
    }),
    file: Type.Object(
      {
        name: Type.String({ description: 'Name.' }),
        size_bytes: integer('Size.'),
        received_bytes: integer('What has arrived without a gap. A broken upload goes on from here.'),
        sha256: nullable(Type.String(), 'Digest; null until the file is whole.'),
      },
      { description: 'The file.' },
    ),
    format: nullable(Type.String(), 'Format; null until the file was read.'),
    progress: Type.Object(
      {
        phase: nullable(Type.String(), 'What is being done.'),
        rows_done: integer('Rows done.'),
        rows_total: nullable(integer(), 'Rows in all; null while they are counted.'),
        percent: nullable(Type.Number(), 'Part that is done.'),
      },
      { description: 'Progress; it survives a restart.' },
    ),
    mapping: nullable(mapping(mappingText), 'Mapping of the last profile or preview.'),
    options: optionsSchema,
    counts: countsSchema,
    result: nullable(
      Type.Object({
        version_id: nullable(Type.String({ description: 'Version that was frozen.' })),
        examples_added: integer('Examples added.'),
        rows_skipped: integer('Rows left out.'),
      }),
      'Once it is completed.',
    ),
    error: nullable(
      Type.Object({
        code: Type.String({ description: 'What kind of failure.' }),
        message: Type.String({ description: 'What went wrong.' }),
        hint: nullable(Type.String(), 'What helps.'),
        details: Type.Object({}, { description: 'Further facts.' }),
      }),
      'Once it has failed.',
    ),
    created_by: Type.Object(
      {
        kind: Type.String({ description: '`account` or `api_key`.' }),
        id: nullable(Type.String({ description: 'Id of the account or key.' })),
        label: Type.String({ description: 'Its name at that time.' }),
      },
      { description: 'Who made it.' },
    ),
    created_at: timestamp('Creation.'),
    updated_at: timestamp('Latest change.'),
    expires_at: nullable(timestamp('When it ends unless somebody goes on.')),
    finished_at: nullable(timestamp('End; the file goes a day later.')),
  },
  { $id: 'Import' },
);

export const createdImportSchema = Type.Object({
  import: importSchema,
  upload: Type.Object(
    {
      method: Type.String({ description: 'Always `PUT`.' }),
      url: Type.String({ description: 'Where the bytes go, with the same credential.' }),
      max_bytes: integer('Size of the file.'),
      accepts_ranges: Type.Boolean({ description: 'Always true.' }),
      expires_at: nullable(timestamp('End of the upload.')),
    },
    { description: 'How to upload the file.' },
  ),
});

export const receivedSchema = Type.Object({
  received_bytes: integer('What has arrived without a gap.'),
});
