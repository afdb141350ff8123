import type { Language } from '../model.ts';

/** Words of the reference itself. */
const words = {
  title: ['API reference', 'API 参考'],
  contents: ['Contents', '目录'],
  overview: ['Overview', '概述'],
  operations: ['All operations', '全部操作'],
  skip: ['To the text', '跳到正文'],
  otherLanguage: ['简体中文', 'English'],
  access: ['Access', '认证'],
  public: ['public', '公开'],
  apiKey: ['API key', 'API 密钥'],
  session: ['session', '会话'],
  or: [' or ', '或'],
  parameters: ['Parameters', '参数'],
  path: ['path', '路径'],
  query: ['query', '查询'],
  header: ['header', '标头'],
  body: ['Body', '请求体'],
  required: ['required', '必填'],
  optional: ['optional', '可选'],
  answers: ['Answers', '响应'],
  errors: ['Errors', '错误'],
  request: ['Request', '请求示例'],
  answer: ['Answer', '响应示例'],
  headers: ['Headers', '标头'],
  fields: ['Fields', '字段'],
  event: ['Fields of one event', '单个事件的字段'],
  default: ['default', '默认'],
  allowed: ['One of', '可选值'],
  least: ['at least', '最小'],
  most: ['at most', '最大'],
  characters: ['characters', '个字符'],
  items: ['items', '项'],
  listOf: ['list of', '列表：'],
  mapOf: ['map of', '映射：'],
  anything: ['anything', '任意值'],
  everywhere: [
    'Every operation may also answer these; Errors in the overview explains them:',
    '所有操作还可能返回以下错误，说明见概述中的“错误”一节：',
  ],
  allErrors: ['All errors', '全部错误'],
  setup: ['The examples read the address and the key from the environment:', '示例从环境变量读取地址和密钥：'],
  document: ['Document of this operation', '此操作的文档'],
  whole: ['OpenAPI', 'OpenAPI'],
} as const satisfies Record<string, readonly [english: string, chinese: string]>;

export type Word = keyof typeof words;

export function word(name: Word, language: Language): string {
  return words[name][language === 'zh' ? 1 : 0];
}
