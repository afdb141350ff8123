import Type from 'typebox';
import { pageQuery } from '#http';
import { importStates } from './import-record.ts';
import { formats, issueCodes, mapping, mappingText, optionsSchema, sheetName } from './import-terms.schema.ts';

const format = Type.Enum([...formats], {
  description: 'Format of the file, whether packed with gzip or not. By default it is found out.',
  type: 'string',
});

const sheet = sheetName(
  'Sheet of a workbook (`xlsx`) to be read, by its name. By default it is the first one that is shown and has rows.',
);

export const createImportBody = Type.Object({
  dataset_id: Type.Optional(Type.String({ description: 'Dataset that gets the examples.' })),
  dataset_name: Type.Optional(
    Type.String({
      description:
        'Name of a dataset that the import makes, when it is completed and not before. Send this or `dataset_id`.',
    }),
  ),
  file_name: Type.String({ description: 'Name of the file; its ending helps to find out the format.' }),
  size_bytes: Type.Integer({ description: 'Size of the file, as it is uploaded.', minimum: 1 }),
  format: Type.Optional(format),
  sheet: Type.Optional(sheet),
  sha256: Type.Optional(
    Type.String({
      description: 'SHA-256 of the file in hex. A file with another one is dropped.',
      pattern: '^[0-9a-fA-F]{64}$',
    }),
  ),
});

export const profileBody = Type.Object({
  format: Type.Optional(format),
  sheet: Type.Optional(sheet),
  encoding: Type.Optional(
    Type.String({
      description: 'Encoding of the text, such as `utf-8`, `gb18030` or `windows-1252`.',
      maxLength: 40,
    }),
  ),
  delimiter: Type.Optional(
    Type.String({
      description: 'What divides values, in CSV and TSV.',
      minLength: 1,
      maxLength: 1,
    }),
  ),
  sample_rows: Type.Optional(
    Type.Integer({
      description: 'Rows by which the shape is recognised.',
      minimum: 1,
      maximum: 200,
      default: 100,
    }),
  ),
});

const optional = Type.Partial(optionsSchema, {
  description: 'What to do with rows, and how to split them.',
});

export const previewBody = Type.Object({
  mapping: Type.Optional(mapping(mappingText)),
  options: Type.Optional(optional),
  limit: Type.Optional(Type.Integer({ description: 'Rows to show.', minimum: 1, maximum: 50, default: 20 })),
});

export const confirmBody = Type.Object({
  preview_token: Type.String({
    description: 'From the latest preview: it stands for the file, the mapping and the options.',
    maxLength: 2048,
  }),
});

export const importsQuery = Type.Object({
  ...pageQuery,
  state: Type.Optional(Type.Enum([...importStates], { description: 'Only imports in this state.' })),
  dataset_id: Type.Optional(Type.String({ description: 'Only imports into this dataset.', maxLength: 64 })),
});

export const errorsQuery = Type.Object({
  ...pageQuery,
  code: Type.Optional(Type.Enum([...issueCodes], { description: 'Only issues with this code.' })),
});
