import Type from 'typebox';
import { type Answer, type Contract, said } from '../contract.ts';
import { type Language, languages } from './model.ts';

const headers = {
  etag: said('Version of this answer.', '此响应的版本。'),
  'cache-control': said('How long caches may keep it.', '缓存可保留的时间。'),
};

const notModified: Answer = {
  description: said('The version named in `If-None-Match` still holds.', '`If-None-Match` 指定的版本仍然有效。'),
  headers,
};

const ifNoneMatch = Type.Object({
  'if-none-match': Type.Optional(Type.String(said('`ETag` of an answer that you have.', '你已有的响应的 `ETag`。'))),
});

const documentSchema = Type.Object(
  {
    openapi: Type.String(said('Version of OpenAPI.', 'OpenAPI 的版本。')),
    info: Type.Object({}, said('Title, version and introduction.', '标题、版本与简介。')),
    paths: Type.Object({}, said('The operations by path and method.', '按路径和方法列出的操作。')),
    components: Type.Object({}, said('What operations share.', '各操作共用的部分。')),
  },
  { $id: 'OpenApiDocument', ...said('A document of OpenAPI 3.1.', 'OpenAPI 3.1 文档。') },
);

const documentExample = {
  openapi: '3.1.1',
  info: { title: 'Fanfold API', version: 'v1' },
  paths: { '/api/v1/keys': { get: { operationId: 'keys.list' } } },
  components: {},
};

export const language = Type.Optional(
  Type.Enum([...languages], {
    ...said('Language of the texts: English or Simplified Chinese.', '文字的语言：英文或简体中文。'),
    default: 'en',
  }),
);

const tag = 'contract';

const names = { en: said('English', '英文'), zh: said('Simplified Chinese', '简体中文') };

export const wholeContract = (format: 'json' | 'yaml', written: Language): Contract => ({
  tag,
  summary: said(
    `Get the whole contract in ${names[written].description} as ${format.toUpperCase()}`,
    `获取${names[written]['x-zh']}完整契约（${format.toUpperCase()}）`,
  ),
  description: said(
    'Every operation in one document, for tools and for programs that make clients.',
    '包含所有操作的单个文档，供工具和客户端生成程序使用。',
  ),
  answers: {
    200: {
      description: said('The document.', '文档。'),
      headers,
      ...(format === 'json'
        ? { schema: documentSchema, example: documentExample }
        : { type: 'application/yaml', schema: documentSchema, example: documentExample }),
    },
    304: notModified,
  },
  headers: ifNoneMatch,
});

export const listContract: Contract = {
  tag,
  summary: said('List the operations', '列出所有操作'),
  description: said(
    'Every operation with the address of its own document. The list is whole, without pages.',
    '列出每个操作及其独立文档的地址。列表完整返回，不分页。',
  ),
  answers: {
    200: {
      description: said('The index.', '索引。'),
      headers,
      schema: Type.Object({
        openapi: Type.String(said('Version of OpenAPI.', 'OpenAPI 的版本。')),
        version: Type.String(said('Version of the interface.', '接口版本。')),
        operations: Type.Array(
          Type.Object(
            {
              operation_id: Type.String(said('Id of the operation.', '操作的 ID。')),
              method: Type.String(said('HTTP method.', 'HTTP 方法。')),
              path: Type.String(said('Path with its parameters in braces.', '路径，参数置于花括号中。')),
              tag: Type.String(said('Group of the operation.', '操作所属的分组。')),
              summary: Type.String(said('What it does.', '操作的用途。')),
              access: Type.Array(
                Type.Enum(['apiKey', 'session']),
                said('Credentials that it takes; none for a public operation.', '接受的凭据；公开操作为空。'),
              ),
              document: Type.String(said('Path of its document.', '其文档的路径。')),
            },
            { $id: 'OperationEntry' },
          ),
          said('The operations, by group.', '按分组排列的操作。'),
        ),
      }),
      example: {
        openapi: '3.1.1',
        version: 'v1',
        operations: [
          {
            operation_id: 'keys.list',
            method: 'GET',
            path: '/api/v1/keys',
            tag: 'keys',
            summary: 'List the API keys',
            access: ['apiKey', 'session'],
            document: '/api/v1/operations/keys.list',
          },
        ],
      },
    },
    304: notModified,
  },
  headers: ifNoneMatch,
};

export const retrieveContract: Contract = {
  tag,
  summary: said('Get the document of one operation', '获取单个操作的文档'),
  description: said(
    'A document of OpenAPI that stands alone: the operation with everything that it refers to.',
    '可独立使用的 OpenAPI 文档：包含该操作及其引用的全部内容。',
  ),
  answers: {
    200: {
      description: said('The document of the operation.', '该操作的文档。'),
      headers,
      schema: documentSchema,
      example: documentExample,
    },
    304: notModified,
  },
  headers: ifNoneMatch,
};
