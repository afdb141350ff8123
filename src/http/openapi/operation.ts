import type { TObject, TSchema } from 'typebox';
import type { Answer, Contract } from '../contract.ts';
import type { RouteRow } from '../route-table.ts';
import type { ErrorResponses } from './error-responses.ts';
import { contractHeaders, type HeaderName, headerRefs } from './headers.ts';
import type {
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
import { describe, isRecord, type SchemaWriter } from './write-schema.ts';

/** A route with its contract: what the document is made of. */
export type ContractRow = RouteRow & { contract: Contract };

export type Pen = { language: Language; schemas: SchemaWriter; errors: ErrorResponses };

export function writeOperation(row: ContractRow, pen: Pen): OperationObject {
  const { contract, operation } = row;
  const parameters = parametersOf(row, pen);
  const body = requestBodyOf(row, pen);
  return {
    operationId: operation,
    tags: [contract.tag],
    summary: describe(contract.summary, pen.language),
    ...(contract.description ? { description: describe(contract.description, pen.language) } : {}),
    security: securityOf(row),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body ? { requestBody: body } : {}),
    responses: { ...answersOf(row, pen), ...pen.errors.refs(faultsOf(row), row.shape) },
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
  if (!isRecord(fields) || !isRecord(fields.properties)) return [];
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
    { summary: describe(title, pen.language), value },
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

function writeAnswer(answer: Answer, row: ContractRow, { language, schemas }: Pen): ResponseObject {
  const known: HeaderName[] = ['RequestId'];
  if (row.schema.body && row.shape === 'native') known.push('IgnoredFields');
  if (row.contract.idempotent) known.push('IdempotentReplay', 'OriginalRequestId');
  if (row.access === 'admission' && row.contract.faults?.includes('rate_limited'))
    known.push('RateLimitLimit', 'RateLimitRemaining', 'RateLimitReset');
  const { schema, type = 'application/json', example, also = [] } = answer;
  const content: Record<string, MediaType> = {};
  if (schema) content[type] = { schema: schemas.write(schema), ...(example === undefined ? {} : { example }) };
  for (const other of also)
    content[other.type] = {
      schema: schemas.write(other.schema),
      example: other.example,
      ...(other.event ? { 'x-fnf-event': schemas.write(other.event) } : {}),
    };
  return {
    description: describe(answer.description, language),
    headers: { ...headerRefs(known), ...contractHeaders(answer.headers ?? {}, language) },
    ...(Object.keys(content).length > 0 ? { content } : {}),
  };
}
