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
      'Calls of the models of a project, in the shapes that the clients of OpenAI and Anthropic speak: change the base URL and the key, nothing else.',
      '调用项目中的模型，与 OpenAI 及 Anthropic 的客户端兼容：只需更换基础 URL 和密钥。',
    ),
  ),
  tag(
    'projects',
    'Projects',
    '项目',
    said(
      'A project groups hosted models and data, and is the address of calls. Its kind, text or embedding, is fixed.',
      '项目汇集托管模型与数据，也是调用的地址。项目类型（文本或嵌入）创建后不可更改。',
    ),
  ),
  tag(
    'hosted_models',
    'Hosted models',
    '托管模型',
    said(
      'Aliases of a project that stand for a base model or a finished training job, at a frozen rate, with their revisions and shares.',
      '项目中的模型别名，指向基础模型或已完成的训练任务，费率固定；并含其修订版本与共享设置。',
    ),
  ),
  tag(
    'chats',
    'Playground',
    '体验场',
    said(
      'Conversations that are kept, each answer with the exact request that it came from.',
      '保存下来的对话；每条回答都附有产生它的完整请求。',
    ),
  ),
  tag(
    'saved_calls',
    'Saved calls',
    '已保存的调用',
    said(
      'Text calls that a project keeps because its owner turned that on.',
      '在所有者开启自动保存后，项目所保留的文本调用。',
    ),
  ),
  tag(
    'datasets',
    'Datasets',
    '数据集',
    said(
      'Examples to learn from, and versions: frozen states of a dataset that never change.',
      '用于学习的样本，以及版本：数据集的冻结状态，永不改变。',
    ),
  ),
  tag(
    'imports',
    'Imports',
    '导入',
    said(
      'Files on their way into a dataset: uploaded, read in full, previewed, confirmed, and imported all or nothing.',
      '将文件导入数据集：上传、完整读取、预览、确认，然后整体导入。',
    ),
  ),
  tag(
    'retrieval_events',
    'Search feedback',
    '检索反馈',
    said(
      'What a search showed and what people did with it. Promoted events become examples, and nothing else does.',
      '搜索展示了什么、用户如何反应。只有被提升的事件才会成为训练样本。',
    ),
  ),
  tag(
    'training_jobs',
    'Training jobs',
    '训练任务',
    said(
      'LoRA adapters that are learned from a frozen version of a dataset, and can be called as soon as they are done.',
      '在数据集的冻结版本上训练 LoRA 适配器，完成后即可调用。',
    ),
  ),
  tag(
    'models',
    'Models',
    '模型',
    said(
      'Every model that the account can see, wherever it comes from, with how to call it.',
      '账户可见的全部模型，无论来源，以及调用方式。',
    ),
  ),
  tag(
    'base_models',
    'Base models',
    '基础模型',
    said('The catalogue of models that hosted models and training start from.', '托管模型与训练所依据的基础模型目录。'),
  ),
  tag(
    'pricing',
    'Pricing',
    '定价',
    said('Rates and what a call would cost; for everybody.', '费率与费用估算；公开访问。'),
  ),
  tag('credits', 'Credits', '额度', said('Balance, ledger and purchases of the account.', '账户的余额、账目与充值。')),
  tag(
    'requests',
    'Requests',
    '请求记录',
    said('What became of a call, by its request id.', '按请求 ID 查询调用的结果。'),
  ),
  tag(
    'account',
    'Account',
    '账户',
    said('The account of the caller, its profile and its sessions.', '调用者的账户、资料与会话。'),
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
    'limits',
    'Limits',
    '限制',
    said(
      'What a key or the account may call and spend at most; none unless it is set.',
      '密钥或账户的调用与消费上限；未设置即不限制。',
    ),
  ),
  tag('dashboard', 'Dashboard', '仪表盘', said('The state of the account at a glance.', '账户状态概览。')),
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
