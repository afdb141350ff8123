/** The part of OpenAPI 3.1 that the published contract uses. */

export type Language = 'en' | 'zh';
export const languages = ['en', 'zh'] as const satisfies readonly Language[];

export type JsonSchema = { [keyword: string]: unknown };
export type Ref = { $ref: string };
export type ExampleObject = { summary?: string; value: unknown };

export type MediaType = {
  schema?: JsonSchema;
  example?: unknown;
  examples?: Record<string, ExampleObject>;
};

export type HeaderObject = { description: string; required?: boolean; schema: JsonSchema };

export type ResponseObject = {
  description: string;
  headers?: Record<string, HeaderObject | Ref>;
  content?: Record<string, MediaType>;
};

export type ParameterObject = {
  name: string;
  in: 'path' | 'query' | 'header';
  description?: string;
  required?: boolean;
  schema: JsonSchema;
};

export type RequestBodyObject = { required: boolean; content: Record<string, MediaType> };

export type OperationObject = {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  security: Record<string, string[]>[];
  parameters?: (ParameterObject | Ref)[];
  requestBody?: RequestBodyObject;
  responses: Record<string, ResponseObject | Ref>;
};

type Components = {
  schemas: Record<string, JsonSchema>;
  responses: Record<string, ResponseObject>;
  parameters: Record<string, ParameterObject>;
  headers: Record<string, HeaderObject>;
  securitySchemes: Record<string, Record<string, string>>;
};

export type OpenApiDocument = {
  openapi: string;
  info: { title: string; version: string; summary: string; description: string; license: Record<string, string> };
  servers: { url: string; description: string }[];
  tags: { name: string; description: string; 'x-displayName': string }[];
  paths: Record<string, Record<string, OperationObject>>;
  components: Partial<Components>;
};

export function isRef(value: object): value is Ref {
  return '$ref' in value;
}
