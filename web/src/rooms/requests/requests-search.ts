import { textIn } from '../../routing/search-text.ts';

export const states = ['succeeded', 'failed', 'canceled', 'unknown'] as const;
export const spans = [1, 24, 168, 720] as const;

/** Operations that call a model. */
export const operations = [
  'chat.create',
  'completions.create',
  'responses.create',
  'messages.create',
  'cohere_chat.create',
  'chat_messages.create',
  'chat_messages.retry',
  'embeddings.create',
  'embeddings.try',
  'rerank.create',
  'cohere_rerank.create',
  'rerank.try',
] as const;
export type Operation = (typeof operations)[number];

/** The filters of the list and the request that is shown, in the URL. */
export type RequestsSearch = {
  id?: string | undefined;
  hours?: (typeof spans)[number] | undefined;
  state?: (typeof states)[number] | undefined;
  error_code?: string | undefined;
  route?: Operation | undefined;
  model?: string | undefined;
  key_id?: string | undefined;
  project?: string | undefined;
};

export function readRequestsSearch(search: Record<string, unknown>): RequestsSearch {
  const { id, hours, state, error_code, route, model, key_id, project } = search;
  return {
    id: textIn(id, 64),
    hours: spans.find((each) => each === hours),
    state: states.find((each) => each === state),
    error_code: textIn(error_code, 100),
    route: operations.find((each) => each === route),
    model: textIn(model),
    key_id: textIn(key_id, 64),
    project: typeof project === 'string' && /^[a-z0-9-]+\/[a-z0-9-]+$/.test(project) ? project : undefined,
  };
}
