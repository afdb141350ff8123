import { said } from '../contract.ts';
import { nativeErrors, openAiErrors } from '../error-envelope.ts';
import type { RouteRow } from '../route-table.ts';
import { createErrorResponses, errorSchemas } from './error-responses.ts';
import { headerComponents } from './headers.ts';
import { introduction } from './introduction.ts';
import type { Language, OpenApiDocument, ParameterObject } from './model.ts';
import { type ContractRow, type Pen, writeOperation } from './operation.ts';
import { pathParameter, pathParameterNames, templateOf } from './path-parameters.ts';
import { tags } from './tags.ts';
import { createSchemaWriter, describe } from './write-schema.ts';

const title = said('Fanfold API', 'Fanfold API');
const summary = said(
  'Self-hosted inference and fine-tuning: one interface for models, projects, keys and credits.',
  '自托管的推理与微调平台：模型、项目、密钥与额度的统一接口。',
);
const server = said('The server that publishes this document.', '发布本文档的服务器。');

/** The whole published contract in one language. The same routes give the same document, byte for byte. */
export function writeDocument(rows: readonly RouteRow[], language: Language): OpenApiDocument {
  const published = publishedRows(rows);
  const pen: Pen = { language, schemas: createSchemaWriter(language), errors: createErrorResponses(language) };
  const paths: OpenApiDocument['paths'] = {};
  for (const row of published) {
    const path = templateOf(row.path);
    paths[path] = { ...paths[path], [row.method.toLowerCase()]: writeOperation(row, pen) };
  }
  return {
    openapi: '3.1.1',
    info: infoIn(language),
    servers: [{ url: '/', description: describe(server, language) }],
    tags: tagsOf(published, language),
    paths,
    components: {
      schemas: {
        ...errorSchemas(language, [nativeErrors, openAiErrors, ...published.map(({ envelope }) => envelope)]),
        ...pen.schemas.components(),
      },
      responses: pen.errors.components(),
      parameters: parameterComponents(published, language),
      headers: headerComponents(language),
      securitySchemes: securitySchemes(language),
    },
  };
}

function infoIn(language: Language): OpenApiDocument['info'] {
  const sections = introduction.map(
    (section) => `## ${describe(section.title, language)}\n\n${describe(section.text, language)}`,
  );
  return {
    title: describe(title, language),
    version: 'v1',
    summary: describe(summary, language),
    description: sections.join('\n\n'),
    license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
  };
}

/** Groups of operations, as far as there are any in them. */
function tagsOf(rows: readonly ContractRow[], language: Language): OpenApiDocument['tags'] {
  const used = new Set(rows.map(({ contract }) => contract.tag));
  return tags
    .filter(({ name }) => used.has(name))
    .map((tag) => ({
      name: tag.name,
      'x-displayName': describe(tag.title, language),
      description: describe(tag.text, language),
    }));
}

/** Routes with a contract, in the order of the document: by group, then as they were registered. */
export function publishedRows(rows: readonly RouteRow[]): ContractRow[] {
  const order = (row: ContractRow) => tags.findIndex(({ name }) => name === row.contract.tag);
  return rows.filter(hasContract).toSorted((a, b) => order(a) - order(b));
}

/** HEAD comes with every GET by itself and is not listed. */
function hasContract(row: RouteRow): row is ContractRow {
  return row.contract !== null && row.method !== 'HEAD';
}

function parameterComponents(rows: readonly ContractRow[], language: Language): Record<string, ParameterObject> {
  const names = new Set(rows.flatMap(({ path }) => pathParameterNames(path)));
  const parameters = Object.fromEntries([...names].sort().map((name) => [name, pathParameter(name, language)]));
  if (rows.some(({ contract }) => contract.idempotent)) parameters.idempotency_key = idempotencyKey(language);
  return parameters;
}

function idempotencyKey(language: Language): ParameterObject {
  const text = said(
    'A text of your choice that names this request. The same key with the same body within 24 hours gets the stored answer; with another body it is refused.',
    '由你选定、用于标识本次请求的文本。24 小时内以相同的键和请求体重发，将得到已保存的响应；请求体不同则会被拒绝。',
  );
  return {
    name: 'idempotency-key',
    in: 'header',
    description: describe(text, language),
    schema: { type: 'string', minLength: 1, maxLength: 128, examples: ['5f0c1c4e-order-17'] },
  };
}

function securitySchemes(language: Language): Record<string, Record<string, string>> {
  const text = (english: string, chinese: string) => describe(said(english, chinese), language);
  return {
    apiKey: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'fnf_...',
      description: text('An active API key of the account.', '账户的有效 API 密钥。'),
    },
    session: {
      type: 'apiKey',
      in: 'cookie',
      name: 'fanfold_session',
      description: text(
        'The session of a signed-in browser. Where the service is reached over HTTPS the cookie may be named `__Host-fanfold_session`.',
        '已登录浏览器的会话。通过 HTTPS 访问时，Cookie 名可能为 `__Host-fanfold_session`。',
      ),
    },
    csrf: {
      type: 'apiKey',
      in: 'header',
      name: 'x-fnf-csrf',
      description: text(
        'Proves that a request with a session comes from a page of this service: the `csrf_token` of `GET /api/v1/auth/session`.',
        '证明携带会话的请求来自本服务的页面：取自 `GET /api/v1/auth/session` 的 `csrf_token`。',
      ),
    },
  };
}
