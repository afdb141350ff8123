import { but, everyone, messagesCall, modelCall, type Row, type Scene } from '../matrix.ts';

const chatBody = ({ place }: Scene) => ({
  body: {
    model: place.alias,
    messages: [{ role: 'user', content: 'Hello!' }],
    max_tokens: 1,
    reasoning_effort: 'none',
  },
});

const message = ({ place }: Scene) => ({ model: place.alias, messages: [{ role: 'user', content: 'Hello!' }] });

const response = ({ place }: Scene) => ({ model: place.alias, input: 'Hello!', max_output_tokens: 1 });

const noResponse = 'resp_000000000000000000000000';

/** A response that the owner has stored in the project. */
async function storedResponse({ place, owner, world }: Scene) {
  // Who is suspended asks about his own project, where the owner has nothing.
  if (place.ownerSlug !== world.owner.slug) return { params: { id: noResponse } };
  const path = `/api/projects/${place.ownerSlug}/${place.project}/openai/v1/responses`;
  const { id } = await owner('POST', path, { model: place.alias, input: 'Hello!', max_output_tokens: 1 });
  return { params: { id: String(id) } };
}

/** The project has no reranker: who may call its models is told that this one is none. */
const noReranker = () =>
  but(modelCall(), { owner: '400 invalid_request', shared: '400 invalid_request', public: '400 invalid_request' });

const documents = ({ place }: Scene) => ({ body: { model: place.alias, query: 'lamp', documents: ['a lamp'] } });

/** Who may call models of a project sees there what he has stored himself. */
const ownResponse = () => but(modelCall(), { shared: '404 not_found', public: '404 not_found' });

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
  { operation: 'rerank.create', kind: 'embedding', expected: noReranker(), request: documents },
  { operation: 'cohere_rerank.create', kind: 'embedding', expected: noReranker(), request: documents },
  { operation: 'rerank.try', kind: 'embedding', expected: noReranker(), request: documents },
  {
    operation: 'tokens.tokenize',
    expected: modelCall(),
    request: ({ place }) => ({ body: { model: place.alias, prompt: 'Hello!' } }),
  },
  {
    operation: 'tokens.detokenize',
    expected: modelCall(),
    request: ({ place }) => ({ body: { model: place.alias, tokens: [1, 2] } }),
  },
  {
    operation: 'responses.create',
    expected: modelCall(),
    request: (scene) => ({ body: response(scene) }),
    attempts: [
      {
        name: 'going on from a response of somebody else',
        caller: 'public',
        request: async (scene) => {
          const { params } = await storedResponse(scene);
          return { body: { ...response(scene), previous_response_id: params.id } };
        },
        expected: '400 previous_response_not_found',
      },
    ],
  },
  {
    operation: 'responses.count',
    expected: modelCall(),
    request: (scene) => ({ body: { model: scene.place.alias, input: 'Hello!' } }),
  },
  { operation: 'responses.retrieve', expected: ownResponse(), request: storedResponse },
  { operation: 'responses.delete', expected: ownResponse(), request: storedResponse },
  { operation: 'responses.input_items', expected: ownResponse(), request: storedResponse },
  {
    operation: 'responses.cancel',
    expected: but(ownResponse(), { owner: '400 invalid_request' }),
    request: storedResponse,
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
  {
    operation: 'cohere_chat.create',
    expected: modelCall(),
    request: (scene) => ({ body: { ...message(scene), max_tokens: 1 } }),
  },
  { operation: 'messages.about', expected: everyone() },
  { operation: 'messages.about_folder', expected: everyone() },
  { operation: 'messages.about_version', expected: everyone() },
];
