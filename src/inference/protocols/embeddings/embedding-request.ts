import { type BodyProblem, readBody } from '#http';
import { type Fault, type Fields, fault } from '#kernel';
import type { EmbeddingsRequest } from '../../model-request.ts';
import { embeddingRequestSchema } from './embeddings.contract.ts';

/**
 * Reads the body of P/embeddings. A value of the wrong type or shape is 422 with `detail` (interface 7); limits come
 * later, when the model is known. Without `input_type` an input is a document: it gets no query instruction.
 */
export function readEmbeddingRequest(sent: unknown): EmbeddingsRequest {
  const body = readBody(embeddingRequestSchema, sent, (problem) => wrongShape(problem, sent));
  return {
    model: body.model,
    inputs: [body.input].flat(),
    encoding: body.encoding_format ?? 'float',
    dimensions: body.dimensions ?? null,
    role: body.input_type ?? 'document',
    truncate: body.truncate ?? false,
  };
}

/** In the words of the interface, which are those of FastAPI. */
function wrongShape(problem: BodyProblem, sent: unknown): Fault {
  const [field = ''] = problem.path.split('[');
  if (field === '') return refusal(['body'], 'Input should be a JSON object', 'object_type');
  const { msg, type } = field === 'input' ? wordsOfInput(Object(sent).input) : wordsOf(problem);
  return refusal(['body', field], msg, type);
}

function refusal(loc: readonly string[], msg: string, type: string): Fault {
  const [, field] = loc;
  const detail = [{ type, loc, msg }];
  if (field === undefined) return fault('invalid_shape', { message: msg, detail });
  return fault('invalid_shape', { message: `${field}: ${msg}`, param: field, detail });
}

type Words = { msg: string; type: string };

const missing: Words = { msg: 'Field required', type: 'missing' };

function wordsOf({ reason, schema }: BodyProblem): Words {
  const [value = schema] = Array.isArray(schema.anyOf) ? schema.anyOf : [];
  const { type, enum: words }: Fields = value;
  if (Array.isArray(words))
    return { msg: `Input should be ${words.map((each) => `'${each}'`).join(' or ')}`, type: 'literal_error' };
  if (type === 'integer') return { msg: 'Input should be a valid integer', type: 'int_type' };
  if (type === 'boolean') return { msg: 'Input should be a valid boolean', type: 'bool_type' };
  return reason === 'missing' ? missing : { msg: 'Input should be a non-empty string', type: 'string_type' };
}

function wordsOfInput(input: unknown): Words {
  if (input === undefined) return missing;
  const texts: readonly unknown[] = [input].flat();
  if (texts.length === 0) return { msg: 'List should have at least one string', type: 'too_short' };
  const wrong = texts.find((text) => typeof text !== 'string' || text === '');
  if (wrong === '') return { msg: 'String should have at least 1 character', type: 'string_too_short' };
  // OpenAI takes token ids, too; LangChain for Python sends them unless told otherwise, and each model has its own.
  const isTokens = typeof wrong === 'number' || (Array.isArray(wrong) && typeof wrong[0] === 'number');
  const hint = isTokens ? ', not token ids (in LangChain set check_embedding_ctx_length=False)' : '';
  return { msg: `Input should be a string or a list of strings${hint}`, type: 'string_type' };
}
