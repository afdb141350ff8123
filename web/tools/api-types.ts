/**
 * Types of the API client, made of the published contract. The usual generators need the TypeScript compiler API,
 * which TypeScript 7 does not have.
 */

/** The used parts of an OpenAPI document. */
type Document = {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas?: Record<string, Schema>; parameters?: Record<string, Parameter> };
};
type Schema = { [keyword: string]: unknown };
type Parameter = { name: string; in: string; required?: boolean; schema: Schema };
type Content = { content?: Record<string, { schema?: Schema }> };
type Operation = {
  parameters?: (Parameter | { $ref: string })[];
  requestBody?: Content;
  responses: Record<string, Content | { $ref: string }>;
};

const head = `// Made of the published contract by "npm run openapi". Do not edit.

`;

const maxLineLength = 100;

/** The web app uses the native API only. */
const nativePath = /^\/api\/v1\//;

/** The text of `web/src/api/generated/contract.ts`. */
export function writeApiTypes(document: Document): string {
  const routes = Object.entries(document.paths)
    .filter(([path]) => nativePath.test(path))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => {
        const route = routeOf(operation, document);
        return `  '${method.toUpperCase()} ${path}': ${objectOf(route, '  ')};\n`;
      }),
    )
    .join('');
  const schemas = schemasOf(routes, document.components.schemas ?? {});
  return `${head}export type Schemas = {\n${schemas.join('')}};\n\nexport type Routes = {\n${routes}};\n`;
}

/** The schemas that routes refer to, and `Error`, which every refusal contains. */
function schemasOf(routes: string, schemas: Record<string, Schema>): string[] {
  const texts = new Map<string, string>();
  const add = (name: string): void => {
    if (texts.has(name)) return;
    const text = `  ${name}: ${typeOf(asSchema(schemas[name]), '  ')};\n`;
    texts.set(name, text);
    addAllOf(text);
  };
  const addAllOf = (text: string): void => {
    for (const [, name = ''] of text.matchAll(/Schemas\['(\w+)'\]/g)) add(name);
  };
  add('Error');
  addAllOf(routes);
  return Object.keys(schemas).flatMap((name) => texts.get(name) ?? []);
}

type Field = { type: string; isOptional?: boolean };

/** Parameters of the path are not written: they are strings named in the path. */
function routeOf(operation: Operation, { components }: Document): Record<string, Field> {
  const query = (operation.parameters ?? [])
    .map((parameter) =>
      '$ref' in parameter ? components.parameters?.[parameter.$ref.split('/').at(-1) ?? ''] : parameter,
    )
    .filter((parameter) => parameter?.in === 'query')
    .flatMap((parameter) => parameter ?? []);
  const body = Object.values(operation.requestBody?.content ?? {})[0]?.schema;
  return {
    ...(query.length > 0 && { query: { type: parametersOf(query) } }),
    ...(body && { body: { type: typeOf(body, '    ') } }),
    response: { type: responseOf(operation) },
  };
}

function parametersOf(parameters: readonly Parameter[]): string {
  const fields = parameters.map(({ name, required, schema }): [string, Field] => [
    name,
    { type: typeOf(schema, '      '), isOptional: required !== true },
  ]);
  return objectOf(Object.fromEntries(fields), '    ');
}

/** The bodies of the successful responses; null: empty. */
function responseOf({ responses }: Operation): string {
  const types = Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .map(([, response]) => {
      const content = 'content' in response ? response.content : undefined;
      const schema = content?.['application/json']?.schema;
      if (schema) return typeOf(schema, '    ');
      return content === undefined ? 'null' : 'unknown';
    });
  return [...new Set(types)].join(' | ') || 'null';
}

function typeOf(schema: Schema, indent: string): string {
  const { $ref, const: constant, enum: values, anyOf, oneOf, type } = schema;
  if (typeof $ref === 'string') return `Schemas['${$ref.split('/').at(-1)}']`;
  if (constant !== undefined) return literal(constant);
  if (Array.isArray(values)) return values.map(literal).join(' | ');
  const choices = anyOf ?? oneOf;
  if (Array.isArray(choices)) return [...new Set(choices.map((choice) => typeOf(choice, indent)))].join(' | ');
  if (Array.isArray(type)) return type.map((each) => typeOf({ ...schema, type: each }, indent)).join(' | ');
  switch (type) {
    case 'string':
      return 'string';
    case 'integer':
    case 'number':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'null':
      return 'null';
    case 'array':
      return arrayOf(typeOf(asSchema(schema['items']), indent));
    case 'object':
      return recordOf(schema, indent);
    default:
      return 'unknown';
  }
}

function recordOf(schema: Schema, indent: string): string {
  const properties = Object.entries(asSchema(schema['properties']));
  const { required, additionalProperties } = schema;
  if (properties.length === 0) {
    const isTyped = typeof additionalProperties === 'object' && additionalProperties !== null;
    return `Record<string, ${isTyped ? typeOf(asSchema(additionalProperties), indent) : 'unknown'}>`;
  }
  const needed = new Set(Array.isArray(required) ? required : []);
  const fields = properties.map(([name, property]): [string, Field] => [
    name,
    { type: typeOf(asSchema(property), `${indent}  `), isOptional: !needed.has(name) },
  ]);
  return objectOf(Object.fromEntries(fields), indent);
}

function objectOf(fields: Record<string, Field>, indent: string): string {
  const properties = Object.entries(fields).map(
    ([name, { type, isOptional = false }]) => `${propertyName(name)}${isOptional ? '?' : ''}: ${type}`,
  );
  const line = `{ ${properties.join('; ')} }`;
  if (!line.includes('\n') && indent.length + line.length <= maxLineLength) return line;
  return `{\n${properties.map((property) => `${indent}  ${property};\n`).join('')}${indent}}`;
}

const arrayOf = (type: string): string => (type.includes('|') ? `(${type})[]` : `${type}[]`);
const propertyName = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name));
const literal = (value: unknown): string =>
  typeof value === 'string' ? `'${value.replace(/['\\]/g, '\\$&')}'` : String(value);

function asSchema(value: unknown): Schema {
  // as: a JSON Schema is an object or a boolean.
  return typeof value === 'object' && value !== null ? (value as Schema) : {};
}
