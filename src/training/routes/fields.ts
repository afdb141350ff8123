import Type from 'typebox';
import { nullable } from '#http';

/** Small words that the schemas of this room are made of. */
export const count = (description: string) => Type.Integer({ description, minimum: 0 });
export const text = (description: string) => Type.String({ description });
export const orNull = <Schema extends Parameters<typeof nullable>[0]>(schema: Schema, description: string) =>
  nullable(schema, description);

/** When something happened; null: not yet. */
export const timeOrNull = (description: string) => nullable(Type.String({ format: 'date-time' }), description);

/** A checkpoint to go on from. */
export const resumeFields = {
  attempt: Type.Integer({ description: 'The attempt that it is of.' }),
  step: Type.Integer({ description: 'The step after which it was written.' }),
};
