import Type from 'typebox';
import type { Contract, ContractAnswer } from '../contract.ts';
import { type Language, languages } from './model.ts';

const headers = {
  etag: 'Version of this answer.',
  'cache-control': 'How long caches may keep it.',
};

const notModified: ContractAnswer = {
  description: 'The version named in `If-None-Match` still holds.',
  headers,
};

const ifNoneMatch = Type.Object({
  'if-none-match': Type.Optional(Type.String({ description: '`ETag` of an answer that you have.' })),
});

const documentSchema = Type.Object(
  {
    openapi: Type.String({ description: 'Version of OpenAPI.' }),
    info: Type.Object({}, { description: 'Title, version and introduction.' }),
    paths: Type.Object({}, { description: 'The operations by path and method.' }),
    components: Type.Object({}, { description: 'What operations share.' }),
  },
  { $id: 'OpenApiDocument', description: 'A document of OpenAPI 3.1.' },
);

const documentExample = {
  openapi: '3.1.1',
  info: { title: 'Fanfold API', version: 'v1' },
  paths: { '/api/v1/keys': { get: { operationId: 'keys.list' } } },
  components: {},
};

export const language = Type.Optional(
  Type.Enum([...languages], {
    description: 'Language of the texts: English or Simplified Chinese.',
    default: 'en',
  }),
);

const tag = 'contract';

const names = { en: 'English', zh: 'Simplified Chinese' };

export const wholeContract = (format: 'json' | 'yaml', written: Language): Contract => ({
  tag,
  summary: `Get the whole contract in ${names[written]} as ${format.toUpperCase()}`,
  description: 'Every operation in one document, for tools and for programs that make clients.',
  answers: {
    200: {
      description: 'The document.',
      headers,
      ...(format === 'json'
        ? { schema: documentSchema, example: documentExample }
        : { type: 'application/yaml', schema: documentSchema, example: documentExample }),
    },
    304: notModified,
  },
  headers: ifNoneMatch,
});

export const listContract: Contract = {
  tag,
  summary: 'List the operations',
  description: 'Every operation with the address of its own document. The list is whole, without pages.',
  answers: {
    200: {
      description: 'The index.',
      headers,
      schema: Type.Object({
        openapi: Type.String({ description: 'Version of OpenAPI.' }),
        version: Type.String({ description: 'Version of the interface.' }),
        operations: Type.Array(
          Type.Object(
            {
              operation_id: Type.String({ description: 'Id of the operation.' }),
              method: Type.String({ description: 'HTTP method.' }),
              path: Type.String({ description: 'Path with its parameters in braces.' }),
              tag: Type.String({ description: 'Group of the operation.' }),
              summary: Type.String({ description: 'What it does.' }),
              access: Type.Array(Type.Enum(['apiKey', 'session']), {
                description: 'Credentials that it takes; none for a public operation.',
              }),
              document: Type.String({ description: 'Path of its document.' }),
            },
            { $id: 'OperationEntry' },
          ),
          { description: 'The operations, by group.' },
        ),
      }),
      example: {
        openapi: '3.1.1',
        version: 'v1',
        operations: [
          {
            operation_id: 'keys.list',
            method: 'GET',
            path: '/api/v1/keys',
            tag: 'keys',
            summary: 'List the API keys',
            access: ['apiKey', 'session'],
            document: '/api/v1/operations/keys.list',
          },
        ],
      },
    },
    304: notModified,
  },
  headers: ifNoneMatch,
};

export const retrieveContract: Contract = {
  tag,
  summary: 'Get the document of one operation',
  description: 'A document of OpenAPI that stands alone: the operation with everything that it refers to.',
  answers: {
    200: {
      description: 'The document of the operation.',
      headers,
      schema: documentSchema,
      example: documentExample,
    },
    304: notModified,
  },
  headers: ifNoneMatch,
};
