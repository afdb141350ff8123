import { type Fault, fault } from '#kernel';

const calls = '(models|chat/completions|completions|embeddings|responses)';
const compat = '/api/projects/[^/]+/[^/]+/openai/v1';
const baseUrl = '/api/projects/{owner}/{project}/openai/v1';

type Rule = { pattern: RegExp; message: string };

/** What OpenAI clients ask for by default, or when their base URL is not quite right. The first that fits counts. */
const rules: readonly Rule[] = [
  {
    pattern: new RegExp(`^${compat}${calls}$`),
    message: 'There is nothing here. The base URL of this client needs a slash at its end.',
  },
  {
    pattern: new RegExp(`^${compat}/(?:.+/${calls}|${calls}/)$`),
    message: `This path goes on behind a call. The base URL of a client ends with ${baseUrl}.`,
  },
  {
    pattern: new RegExp(`^${compat}(/|$)`),
    message: 'This path is not served. Served are models, chat/completions, completions, embeddings and responses.',
  },
  {
    pattern: /^\/(?:.+\/)?(?:chat\/completions|completions|embeddings|responses)$|^\/(?:models|responses)(?:\/|$)/,
    message: `There is nothing here. The base URL of a client ends with ${baseUrl}.`,
  },
];

/** The same for Anthropic's clients; the version is part of the base URL for a few of them only. */
const messagesRules: readonly Rule[] = [
  {
    pattern: /^\/(?:api\/projects\/[^/]+\/[^/]+\/)?(?:openai\/|anthropic\/)?(?:v1\/)*messages(?:\/count_tokens)?$/,
    message:
      'There is nothing here. The base URL of a client of the Messages API ends with /api/projects/{owner}/{project}/anthropic; of one that asks for /messages without a version, with /v1 behind it.',
  },
  {
    pattern: /^\/api\/projects\/[^/]+\/[^/]+\/anthropic\//,
    message: 'There is nothing here. Served are v1/messages, v1/messages/count_tokens and v1/models.',
  },
];

/** The fault of a path where nothing is; to a client of OpenAI's interface it says which setting helps. */
export function notServed(path: string): Fault {
  const rule = [...messagesRules, ...rules].find(({ pattern }) => pattern.test(path));
  return rule ? fault('not_found', { message: rule.message }) : fault('not_found');
}
