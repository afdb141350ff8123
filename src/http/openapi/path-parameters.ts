import { localize } from './localize.ts';
import type { Language, ParameterObject } from './model.ts';

type PathParameter = { text: string; example: string };

const id = (description: string, prefix: string): PathParameter => ({
  text: description,
  example: `${prefix}_01J9ZK3V5W7X8Y9A0B1C2D3E4F`,
});

/** Every parameter that stands in a path, by its name in the document; a route with another one fails its test. */
const texts: Record<string, PathParameter> = {
  owner: { text: 'Slug of the account that owns the project.', example: 'acme' },
  project: { text: 'Slug of the project.', example: 'support-chat' },
  id: { text: 'Id from the list of models.', example: 'chat' },
  hosted_model_id: id('Id of the hosted model, or of a base model to read it.', 'hm'),
  share_id: id('Id of the share.', 'shr'),
  request_id: id('Id of a request: `x-request-id` of its answer.', 'req'),
  key_id: id('Id of the API key.', 'key'),
  checkout_id: id('Id of the purchase.', 'chk'),
  dataset_id: id('Id of the dataset.', 'ds'),
  version_id: id('Id of the version.', 'dsv'),
  example_id: id('Id of the example.', 'ex'),
  import_id: id('Id of the import.', 'imp'),
  event_id: id('Id of the retrieval event.', 'rev'),
  index_id: id('Id of the index.', 'idx'),
  job_id: id('Id of the training job.', 'job'),
  chat_id: id('Id of the chat.', 'cht'),
  message_id: id('Id of the message.', 'msg'),
  image_id: id('Id of the image.', 'img'),
  base_model_id: { text: 'Id of the base model.', example: 'qwen3-4b' },
  route_name: { text: 'Name of the route.', example: 'gpu-1' },
  pull_id: id('Id of the pull.', 'pul'),
  activity_id: id('Id of the row.', 'act'),
  account_id: id('Id of the account.', 'acc'),
  invitation_id: id('Id of the invitation.', 'inv'),
  session_id: id('Id of the session.', 'ses'),
  guide_name: { text: 'Name of the guide.', example: 'training' },
  operation_id: {
    text: 'Id of the operation, as in `keys.list`.',
    example: 'keys.list',
  },
};

/** `/keys/:keyId` as `/keys/{key_id}`. */
export function templateOf(path: string): string {
  return path.replace(/:([A-Za-z]+)/g, (_, name: string) => `{${parameterName(name)}}`);
}

export function pathParameterNames(path: string): string[] {
  return [...path.matchAll(/:([A-Za-z]+)/g)].map(([, name = '']) => parameterName(name));
}

export function pathParameter(name: string, language: Language): ParameterObject {
  const parameter = texts[name];
  return {
    name,
    in: 'path',
    required: true,
    ...(parameter ? { description: localize(parameter.text, language) } : {}),
    schema: { type: 'string', ...(parameter ? { examples: [parameter.example] } : {}) },
  };
}

function parameterName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
