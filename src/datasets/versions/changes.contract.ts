import type { Contract } from '#http';
import { changesSchema } from './changes.schema.ts';

const conversation = (answer: string) => ({
  messages: [
    { content: 'Where is my parcel?', role: 'user' },
    { content: answer, role: 'assistant' },
  ],
  tools: null,
});

const side = (answer: string, tokens: number) => ({
  text: conversation(answer),
  embedding: null,
  split: 'train',
  tokens,
});

export const changesContract: Contract = {
  tag: 'datasets',
  summary: 'Compare two versions',
  description:
    'The examples by which a version differs from another one of its dataset, newest first. A cursor belongs to both versions and to the filter.',
  answers: {
    200: {
      description: 'A page of changes.',
      schema: changesSchema,
      example: {
        data: [
          {
            id: 'ex_01KAXR8G9J1M3P5R7T9W1Y3A5C',
            change: 'changed',
            before: side('What parcel?', 24),
            after: side('May I have its number?', 27),
          },
        ],
        next_cursor: null,
        total_count: 1,
        since: 'dsv_01KAXR6Y7G9J1M3P5R7T9W1Y3A',
        counts: { added: 0, removed: 0, changed: 1 },
      },
    },
  },
  faults: ['invalid_cursor', 'not_found'],
};
