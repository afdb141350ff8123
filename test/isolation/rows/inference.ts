import { everyone, messagesCall, modelCall, type Row, type Scene } from '../matrix.ts';

const chatBody = ({ place }: Scene) => ({
  body: {
    model: place.alias,
    messages: [{ role: 'user', content: 'Hello!' }],
    max_tokens: 1,
    reasoning_effort: 'none',
  },
});

const message = ({ place }: Scene) => ({ model: place.alias, messages: [{ role: 'user', content: 'Hello!' }] });

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
  {
    operation: 'messages.create',
    expected: messagesCall(),
    request: (scene) => ({ body: { ...message(scene), max_tokens: 1 } }),
  },
  {
    operation: 'messages.count_tokens',
    expected: messagesCall(),
    request: (scene) => ({ body: message(scene) }),
  },
  { operation: 'messages.list_models', expected: messagesCall() },
  {
    operation: 'messages.retrieve_model',
    byName: true,
    expected: messagesCall(),
    request: ({ place }) => ({ params: { id: place.alias } }),
  },
  { operation: 'messages.about', expected: everyone() },
  { operation: 'messages.about_folder', expected: everyone() },
  { operation: 'messages.about_version', expected: everyone() },
];
