import { type Fault, type Fields, fault, isFields } from '#kernel';
import type { EmbeddingRequest } from '../../model-request.ts';
import { given } from '../openai/fields.ts';

/**
 * Reads the body of P/embeddings. A value of the wrong type or shape is 422 with `detail` (interface 7); limits come
 * later, when the model is known. Without `input_type` an input is a document: it gets no query instruction.
 */
export function readEmbeddingRequest(body: unknown): EmbeddingRequest {
  if (!isFields(body)) throw shape(null, 'Input should be a JSON object', 'object_type');
  return {
    model: readModel(body),
    inputs: readInputs(body),
    encoding: readWord(body, 'encoding_format', ['float', 'base64']) ?? 'float',
    dimensions: readDimensions(body),
    role: readWord(body, 'input_type', ['query', 'document']) ?? 'document',
    truncate: readTruncate(body),
  };
}

function shape(field: string | null, msg: string, type: string): Fault {
  const loc = field === null ? ['body'] : ['body', field];
  const message = field === null ? msg : `${field}: ${msg}`;
  return fault('invalid_shape', { message, ...(field === null ? {} : { param: field }), detail: [{ type, loc, msg }] });
}

function readModel(fields: Fields): string {
  const { model } = fields;
  if (model === undefined) throw shape('model', 'Field required', 'missing');
  if (typeof model !== 'string' || model === '')
    throw shape('model', 'Input should be a non-empty string', 'string_type');
  return model;
}

function readInputs(fields: Fields): string[] {
  const { input } = fields;
  if (input === undefined) throw shape('input', 'Field required', 'missing');
  const inputs: unknown[] = Array.isArray(input) ? input : [input];
  if (inputs.length === 0) throw shape('input', 'List should have at least one string', 'too_short');
  return inputs.map((text) => {
    if (typeof text !== 'string') throw shape('input', `Input should be ${asText(text)}`, 'string_type');
    if (text === '') throw shape('input', 'String should have at least 1 character', 'string_too_short');
    return text;
  });
}

/** OpenAI takes token ids, too; LangChain for Python sends them unless told otherwise, and each model has its own. */
function asText(sent: unknown): string {
  const isTokens = typeof sent === 'number' || (Array.isArray(sent) && typeof sent[0] === 'number');
  return isTokens
    ? 'a string or a list of strings, not token ids (in LangChain set check_embedding_ctx_length=False)'
    : 'a string or a list of strings';
}

function readWord<Word extends string>(fields: Fields, name: string, words: readonly Word[]): Word | undefined {
  const value = given(fields, name);
  if (value === undefined) return undefined;
  const word = words.find((each) => each === value);
  if (!word) throw shape(name, `Input should be ${words.map((each) => `'${each}'`).join(' or ')}`, 'literal_error');
  return word;
}

function readDimensions(fields: Fields): number | null {
  const value = given(fields, 'dimensions');
  if (value === undefined) return null;
  if (typeof value !== 'number' || !Number.isInteger(value))
    throw shape('dimensions', 'Input should be a valid integer', 'int_type');
  return value;
}

function readTruncate(fields: Fields): boolean {
  const value = given(fields, 'truncate');
  if (value === undefined) return false;
  if (typeof value !== 'boolean') throw shape('truncate', 'Input should be a valid boolean', 'bool_type');
  return value;
}
