import Type from 'typebox';
import { nullable, said } from '#http';

/** Small words that the schemas of this room are made of. */
export const count = (english: string, chinese: string) => Type.Integer({ ...said(english, chinese), minimum: 0 });
export const text = (english: string, chinese: string) => Type.String(said(english, chinese));
export const orNull = <Schema extends Parameters<typeof nullable>[0]>(
  schema: Schema,
  english: string,
  chinese: string,
) => nullable(schema, said(english, chinese));

/** When something happened; null: not yet. */
export const timeOrNull = (english: string, chinese: string) =>
  nullable(Type.String({ format: 'date-time' }), said(english, chinese));

/** A checkpoint to go on from. */
export const resumeFields = {
  attempt: Type.Integer(said('The attempt that it is of.', '所属的尝试。')),
  step: Type.Integer(said('The step after which it was written.', '写入时的步数。')),
};
