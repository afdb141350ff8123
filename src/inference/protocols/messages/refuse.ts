import type { Static, TSchema } from 'typebox';
import { type BodyProblem, readBody } from '#http';
import { type Fault, fault } from '#kernel';

/** The refusal of one field; its path is written as Anthropic does: `messages.0.content`. */
export function refuse(path: string, message: string): Fault {
  return fault('invalid_request', { param: path, message: `${path}: ${message}` });
}

export function readRequest<Schema extends TSchema>(schema: Schema, body: unknown): Static<Schema> {
  return readBody(schema, body, ({ path, message, reason }: BodyProblem) => {
    if (path === '') return fault('invalid_request', { message });
    return refuse(
      path.replace(/\[(\d+)\]/g, '.$1'),
      reason === 'missing' ? `this field is required: ${message}` : message,
    );
  });
}
