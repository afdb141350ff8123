import Type from 'typebox';
import type { Contract, ContractAnswer } from '#http';
import { guideListSchema, guideSchema, sectionsSchema } from './guides.schema.ts';

const tag = 'guides';

const headers = { etag: 'Version of this answer.', 'cache-control': 'How long caches may keep it.' };

const cacheable = {
  headers: Type.Object({
    'if-none-match': Type.Optional(Type.String({ description: '`ETag` of an answer that you have.' })),
  }),
};

const notModified: ContractAnswer = { description: 'The version named in `If-None-Match` still holds.', headers };

export const listGuidesContract: Contract = {
  tag,
  summary: 'List the guides',
  description: 'Every guide that this server has. The list is whole, without pages.',
  ...cacheable,
  answers: {
    200: {
      description: 'The guides.',
      headers,
      schema: guideListSchema,
      example: {
        data: [
          {
            name: 'training',
            title: 'Train a model',
            summary: 'A training job takes a base model and a version of a dataset and learns a LoRA adapter.',
            group: 'data',
          },
        ],
      },
    },
    304: notModified,
  },
};

export const readGuideContract: Contract = {
  tag,
  summary: 'Read a guide',
  description: 'The guides are written in English.',
  ...cacheable,
  answers: {
    200: {
      description: 'The guide.',
      headers,
      schema: guideSchema,
      example: {
        name: 'training',
        title: 'Train a model',
        markdown: 'A training job takes a base model.\n\n## Start a job\n…',
        headings: [{ level: 2, text: 'Start a job', anchor: 'start-a-job' }],
      },
    },
    304: notModified,
  },
  faults: ['not_found'],
};

export const searchGuidesContract: Contract = {
  tag,
  summary: 'Search the guides',
  description: 'Finds the sections of all guides that contain every word.',
  ...cacheable,
  answers: {
    200: {
      description: 'The sections.',
      headers,
      schema: sectionsSchema,
      example: {
        data: [
          {
            guide: 'training',
            title: 'Train a model',
            heading: 'Start a job',
            anchor: 'start-a-job',
            excerpt: 'A training job takes a base model.',
          },
        ],
      },
    },
    304: notModified,
  },
};
