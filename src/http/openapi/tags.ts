import { type Said, said } from '../contract.ts';

export type Tag = { name: string; title: Said; text: Said };

const tag = (name: string, english: string, chinese: string, text: Said): Tag => ({
  name,
  title: said(english, chinese),
  text,
});

/** Groups of operations, in the order in which a reader meets them. */
export const tags: readonly Tag[] = [
  tag(
    'inference',
    'Inference',
    '推理',
    said(
      'Chat, completions and embeddings of a project, in the shape that OpenAI clients speak: change the base URL and the key, nothing else.',
      '项目的对话、补全与嵌入接口，与 OpenAI 客户端兼容：只需更换基础 URL 和密钥。',
    ),
  ),
  tag(
    'base_models',
    'Base models',
    '基础模型',
    said('The catalogue of models that hosted models and training start from.', '托管模型与训练所依据的基础模型目录。'),
  ),
  tag(
    'keys',
    'API keys',
    'API 密钥',
    said(
      'Keys of the account. A key works with every project that the account may access; it is shown once, when it is made.',
      '账户的密钥。一把密钥可用于账户有权访问的所有项目，只在创建时显示一次。',
    ),
  ),
  tag(
    'activity',
    'Activity',
    '动态',
    said('What happened to the account and its projects.', '账户及其项目发生的事件。'),
  ),
  tag(
    'contract',
    'Contract',
    '接口契约',
    said(
      'This contract, for programs: as a whole in two languages, and one document for each operation.',
      '供程序读取的本契约：两种语言的完整文档，以及每个操作的独立文档。',
    ),
  ),
];

export function tagNamed(name: string): Tag {
  const found = tags.find((each) => each.name === name);
  if (!found) throw new Error(`There is no tag ${name} in tags.ts.`);
  return found;
}
