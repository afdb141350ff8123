import { modelCall, type Row, type Scene } from '../matrix.ts';

const chatBody = ({ place }: Scene) => ({
  body: {
    model: place.alias,
    messages: [{ role: 'user', content: 'Hello!' }],
    max_tokens: 1,
    reasoning_effort: 'none',
  },
});

export const rows: Row[] = [
  { operation: 'models.list', expected: modelCall() },
  {
    operation: 'models.retrieve',
    byName: true,
    expected: modelCall(),
    request: ({ place }) => ({ params: { id: place.alias } }),
  },
  { operation: 'chat.create', expected: modelCall(), request: chatBody },
  {
    operation: 'completions.create',
    expected: modelCall(),
    request: ({ place }) => ({ body: { model: place.alias, prompt: 'Hello!', max_tokens: 1 } }),
  },
  {
    operation: 'embeddings.create',
    kind: 'embedding',
    expected: modelCall(),
    request: ({ place }) => ({ body: { model: place.alias, input: 'lamp' } }),
  },
];
