import { nativeErrors, openAiErrors } from '../error-envelope.ts';
import type { RegisteredRoute } from '../route-table.ts';
import { createErrorResponses, errorSchemas } from './error-responses.ts';
import { headerComponents } from './headers.ts';
import { introduction } from './introduction.ts';
import { localize } from './localize.ts';
import type { Language, OpenApiDocument, ParameterObject } from './model.ts';
import { type ContractRow, type Pen, writeOperation } from './operation.ts';
import { pathParameter, pathParameterNames, templateOf } from './path-parameters.ts';
import { tags } from './tags.ts';
import { createSchemaWriter } from './write-schema.ts';

const title = 'Fanfold API';
const summary = 'Self-hosted inference and fine-tuning: one interface for models, projects, keys and credits.';
const server = 'The server that publishes this document.';

/** The whole published contract in one language. The same routes give the same document, byte for byte. */
export function writeDocument(rows: readonly RegisteredRoute[], language: Language): OpenApiDocument {
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
    servers: [{ url: '/', description: localize(server, language) }],
    tags: tagsOf(published, language),
    paths,
    components: {
      schemas: {
        ...errorSchemas(pen.schemas, [nativeErrors, openAiErrors, ...published.map(({ envelope }) => envelope)]),
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
    (section) => `## ${localize(section.title, language)}\n\n${localize(section.text, language)}`,
  );
  return {
    title: localize(title, language),
    version: 'v1',
    summary: localize(summary, language),
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
      'x-displayName': localize(tag.title, language),
      description: localize(tag.text, language),
    }));
}

/** Routes with a contract, in the order of the document: by group, then as they were registered. */
export function publishedRows(rows: readonly RegisteredRoute[]): ContractRow[] {
  const order = (row: ContractRow) => tags.findIndex(({ name }) => name === row.contract.tag);
  return rows.filter(hasContract).toSorted((a, b) => order(a) - order(b));
}

/** HEAD comes with every GET by itself and is not listed. */
function hasContract(row: RegisteredRoute): row is ContractRow {
  return row.contract !== null && row.method !== 'HEAD';
}

function parameterComponents(rows: readonly ContractRow[], language: Language): Record<string, ParameterObject> {
  const names = new Set(rows.flatMap(({ path }) => pathParameterNames(path)));
  const parameters = Object.fromEntries([...names].sort().map((name) => [name, pathParameter(name, language)]));
  if (rows.some(({ contract }) => contract.idempotent)) parameters.idempotency_key = idempotencyKey(language);
  return parameters;
}

function idempotencyKey(language: Language): ParameterObject {
  const text =
    'A text of your choice that names this request. The same key with the same body within 24 hours gets the stored answer; with another body it is refused.';
  return {
    name: 'idempotency-key',
    in: 'header',
    description: localize(text, language),
    schema: { type: 'string', minLength: 1, maxLength: 128, examples: ['5f0c1c4e-order-17'] },
  };
}

function securitySchemes(language: Language): Record<string, Record<string, string>> {
  const text = (description: string) => localize(description, language);
  return {
    apiKey: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'fnf_...',
      description: text('An active API key of the account.'),
    },
    session: {
      type: 'apiKey',
      in: 'cookie',
      name: 'fanfold_session',
      description: text(
        'The session of a signed-in browser. Where the service is reached over HTTPS the cookie may be named `__Host-fanfold_session`.',
      ),
    },
    csrf: {
      type: 'apiKey',
      in: 'header',
      name: 'x-fnf-csrf',
      description: text(
        'Proves that a request with a session comes from a page of this service: the `csrf_token` of `GET /api/v1/auth/session`.',
      ),
    },
  };
}
