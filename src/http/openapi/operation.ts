import type { TObject, TSchema } from 'typebox';
import { isFields } from '#kernel';
import type { Contract, ContractAnswer, OtherContent } from '../contract.ts';
import type { RegisteredRoute } from '../route-table.ts';
import type { ErrorResponses } from './error-responses.ts';
import { contractHeaders, type HeaderName, headerRefs } from './headers.ts';
import { localize } from './localize.ts';
import type {
  JsonSchema,
  Language,
  MediaType,
  OperationObject,
  ParameterObject,
  Ref,
  RequestBodyObject,
  ResponseObject,
} from './model.ts';
import { pathParameterNames } from './path-parameters.ts';
import { faultsOf } from './route-faults.ts';
import type { SchemaWriter } from './write-schema.ts';

/** A route with its contract: what the document is made of. */
export type ContractRow = RegisteredRoute & { contract: Contract };

export type Pen = { language: Language; schemas: SchemaWriter; errors: ErrorResponses };

export function writeOperation(row: ContractRow, pen: Pen): OperationObject {
  const { contract, operation } = row;
  const parameters = parametersOf(row, pen);
  const body = requestBodyOf(row, pen);
  return {
    operationId: operation,
    tags: [contract.tag],
    summary: localize(contract.summary, pen.language),
    ...(contract.description ? { description: localize(contract.description, pen.language) } : {}),
    security: securityOf(row),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body ? { requestBody: body } : {}),
    responses: { ...answersOf(row, pen), ...pen.errors.refs(faultsOf(row), row.envelope) },
  };
}

/** Any one of the listed alternatives lets a caller in; an empty list, anybody. */
function securityOf({ access, method, contract }: ContractRow): Record<string, string[]>[] {
  if (access === 'public') return [];
  const key = { apiKey: [] };
  const session = method === 'GET' ? { session: [] } : { session: [], csrf: [] };
  if (access === 'admission' || contract.credential === 'api_key') return [key];
  return contract.credential === 'session' ? [session] : [key, session];
}

function parametersOf(row: ContractRow, { schemas }: Pen): (ParameterObject | Ref)[] {
  const { contract, path, schema } = row;
  const named = pathParameterNames(path).map((name) => ({ $ref: `#/components/parameters/${name}` }));
  return [
    ...named,
    ...fieldsOf(contract.query ?? schema.querystring, 'query', schemas),
    ...fieldsOf(contract.headers, 'header', schemas),
    ...(contract.idempotent ? [{ $ref: '#/components/parameters/idempotency_key' }] : []),
  ];
}

function fieldsOf(fields: unknown, place: 'query' | 'header', schemas: SchemaWriter): ParameterObject[] {
  if (!isFields(fields) || !isFields(fields.properties)) return [];
  const required = new Set(Array.isArray(fields.required) ? fields.required : []);
  // as: the properties of a TypeBox object are schemas.
  const properties = fields.properties as TObject['properties'];
  return Object.entries(properties).map(([name, field]) => {
    const { description, ...schema } = schemas.write(field);
    return {
      name,
      in: place,
      ...(required.has(name) ? { required: true } : {}),
      ...(typeof description === 'string' ? { description } : {}),
      schema,
    };
  });
}

function requestBodyOf({ contract, schema }: ContractRow, pen: Pen): RequestBodyObject | null {
  // as: routes are registered with TypeBox schemas only.
  const body = contract.body ?? (schema.body as TSchema | undefined);
  if (!body) return null;
  const { bodyType = 'application/json', bodyExample, bodyExamples } = contract;
  const examples = bodyExamples?.map(({ title, value }, index) => [
    `example_${index + 1}`,
    { summary: localize(title, pen.language), value },
  ]);
  const content: MediaType = {
    schema: pen.schemas.write(body),
    ...(bodyExample === undefined ? {} : { example: bodyExample }),
    ...(examples ? { examples: Object.fromEntries(examples) } : {}),
  };
  return { required: isNeeded(body), content: { [bodyType]: content } };
}

/** An object of which every field may be left out may be left out itself: no body reads like `{}`. */
function isNeeded(body: TSchema): boolean {
  const required: unknown = Reflect.get(body, 'required');
  return Reflect.get(body, 'type') !== 'object' || (Array.isArray(required) && required.length > 0);
}

function answersOf(row: ContractRow, pen: Pen): Record<string, ResponseObject> {
  return Object.fromEntries(
    Object.entries(row.contract.answers).map(([status, answer]) => [status, writeAnswer(answer, row, pen)]),
  );
}

/** Whether unknown fields of its body are named; a handler that reads its body by itself does so, too. */
function takesFields({ schema, contract, access }: ContractRow): boolean {
  return access !== 'admission' && (!!schema.body || (!!contract.body && contract.bodyType === undefined));
}

function writeAnswer(answer: ContractAnswer, row: ContractRow, { language, schemas }: Pen): ResponseObject {
  const known: HeaderName[] = ['RequestId'];
  if (takesFields(row)) known.push('IgnoredFields');
  if (row.contract.idempotent) known.push('IdempotentReplay', 'OriginalRequestId');
  if (row.access === 'admission' && row.contract.faults?.includes('rate_limited'))
    known.push('RateLimitLimit', 'RateLimitRemaining', 'RateLimitReset');
  const { schema, type = 'application/json', example, also = [] } = answer;
  const content: Record<string, MediaType> = {};
  if (schema) content[type] = { schema: schemas.write(schema), ...(example === undefined ? {} : { example }) };
  for (const each of also)
    content[each.type] = { schema: itemSchema(each, row, { language, schemas }), example: each.example };
  return {
    description: localize(answer.description, language),
    headers: { ...headerRefs(known), ...contractHeaders(answer.headers ?? {}, language) },
    ...(Object.keys(content).length > 0 ? { content } : {}),
  };
}

/** The schema of a file of JSON lines is that of a line. */
function itemSchema(
  { type, event, saysItsEnd = false }: OtherContent,
  { envelope }: ContractRow,
  { language, schemas }: Pick<Pen, 'language' | 'schemas'>,
): JsonSchema {
  const item = schemas.write(event);
  if (type !== 'text/event-stream') return item;
  return saysItsEnd ? ownEventSchema(item, envelope.name, language) : eventSchema(item, language);
}

const oneEvent = 'One of the server-sent events of the stream.';

/** Of a stream whose events say in their JSON what they are. */
function ownEventSchema(data: JsonSchema, errorName: string, language: Language): JsonSchema {
  const name = 'The `type` of `data`.';
  const text = 'What happened, as JSON; an error is the last event.';
  return {
    type: 'object',
    description: localize(oneEvent, language),
    required: ['event', 'data'],
    properties: {
      event: { type: 'string', description: localize(name, language) },
      data: {
        type: 'string',
        description: localize(text, language),
        contentMediaType: 'application/json',
        contentSchema: { anyOf: [data, { $ref: `#/components/schemas/${errorName}` }] },
      },
    },
  };
}

/** OpenAPI 3.1 cannot describe a stream; as tools have agreed, the schema is that of one event. */
function eventSchema(data: JsonSchema, language: Language): JsonSchema {
  const text = 'What happened, as JSON; an error is the last event. After a good end the last event is `[DONE]`.';
  return {
    type: 'object',
    description: localize(oneEvent, language),
    required: ['data'],
    properties: {
      data: {
        description: localize(text, language),
        anyOf: [
          {
            type: 'string',
            contentMediaType: 'application/json',
            contentSchema: { anyOf: [data, { $ref: '#/components/schemas/CompatError' }] },
          },
          { const: '[DONE]' },
        ],
      },
    },
  };
}
