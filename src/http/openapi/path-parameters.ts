import { type Said, said } from '../contract.ts';
import type { Language, ParameterObject } from './model.ts';
import { describe } from './write-schema.ts';

type PathParameter = { text: Said; example: string };

const id = (english: string, chinese: string, prefix: string): PathParameter => ({
  text: said(english, chinese),
  example: `${prefix}_01J9ZK3V5W7X8Y9A0B1C2D3E4F`,
});

/** Every parameter that stands in a path, by its name in the document; a route with another one fails its test. */
const texts: Record<string, PathParameter> = {
  owner: { text: said('Slug of the account that owns the project.', '项目所属账户的标识。'), example: 'acme' },
  project: { text: said('Slug of the project.', '项目的标识。'), example: 'support-chat' },
  id: { text: said('Id from the list of models.', '模型列表中的 ID。'), example: 'chat' },
  hosted_model_id: id(
    'Id of the hosted model, or of a base model to read it.',
    '托管模型的 ID；查看基础模型时为其名称。',
    'hm',
  ),
  share_id: id('Id of the share.', '共享的 ID。', 'shr'),
  request_id: id('Id of a request: `x-request-id` of its answer.', '请求的 ID，即其响应的 `x-request-id`。', 'req'),
  key_id: id('Id of the API key.', 'API 密钥的 ID。', 'key'),
  checkout_id: id('Id of the purchase.', '充值的 ID。', 'chk'),
  dataset_id: id('Id of the dataset.', '数据集的 ID。', 'ds'),
  version_id: id('Id of the version.', '版本的 ID。', 'dsv'),
  example_id: id('Id of the example.', '样本的 ID。', 'ex'),
  import_id: id('Id of the import.', '导入的 ID。', 'imp'),
  event_id: id('Id of the retrieval event.', '检索事件的 ID。', 'rev'),
  index_id: id('Id of the index.', '索引的 ID。', 'idx'),
  job_id: id('Id of the training job.', '训练任务的 ID。', 'job'),
  chat_id: id('Id of the chat.', '对话的 ID。', 'cht'),
  message_id: id('Id of the message.', '消息的 ID。', 'msg'),
  activity_id: id('Id of the row.', '动态记录的 ID。', 'act'),
  operation_id: {
    text: said('Id of the operation, as in `keys.list`.', '操作的 ID，例如 `keys.list`。'),
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
    ...(parameter ? { description: describe(parameter.text, language) } : {}),
    schema: { type: 'string', ...(parameter ? { examples: [parameter.example] } : {}) },
  };
}

function parameterName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
