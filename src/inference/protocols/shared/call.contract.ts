import Type, { type TSchema } from 'typebox';
import { expecting, nullable } from '#http';

/** A field that may be left out; null means the same. */
export const optional = <Value extends TSchema>(value: Value) => Type.Optional(nullable(value));

/** A field that is accepted only while it asks for nothing: a value that would change the answer is refused, never ignored. */
export function notSupported<Value extends boolean | number | string>(words = 'not supported', nothing?: Value) {
  const text = { description: 'Not supported.', ...expecting(words) };
  const accepted = nothing === undefined ? [] : [Type.Literal(nothing)];
  return Type.Optional(Type.Union([...accepted, Type.Null()], text));
}

export const calledModel = Type.String({
  description:
    'A hosted model from the list of models, a base model, or `training-job#<id>` of a finished job: one of your own, or of a public project. Base models are for the owner of the project.',
  minLength: 1,
});

/** Conditions of every call that a text model answers. */
export const textCallFaults = [
  'model_not_found',
  'model_not_installed',
  'owner_required',
  'insufficient_credits',
  'ambiguous_transport',
  'rate_limited',
  'generation_failed',
  'model_warming',
  'capacity_unavailable',
] as const;
