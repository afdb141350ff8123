import { type Fault, fault } from '#kernel';

export type JsonType = 'string' | 'number' | 'integer' | 'array' | 'object';

/**
 * What is wrong with one field of an event. It has another type than this one, or is missing, which is 422; otherwise its
 * value is not allowed, which is 400.
 */
export class FieldError extends Error {
  override readonly name = 'FieldError';
  readonly kind: `${JsonType}_type` | 'missing' | 'value';
  /** Empty: the body as a whole. */
  readonly param: string;

  constructor(kind: FieldError['kind'], param: string, message: string) {
    super(message);
    this.kind = kind;
    this.param = param;
  }

  /** For a request that is about this event alone. */
  toFault(): Fault {
    const { kind, param } = this;
    const message = `${param || 'body'}: ${this.message}`;
    if (kind === 'value') return fault('invalid_request', { message, param });
    const loc = ['body', ...placeOf(param)];
    const detail = [{ type: kind, loc, msg: this.message }];
    return fault('invalid_shape', { message, detail, ...(param === '' ? {} : { param }) });
  }
}

/** Names, and numbers in lists. */
function placeOf(param: string): (string | number)[] {
  return [...param.matchAll(/\[(\d+)\]|[^.[\]]+/g)].map(([name, index]) =>
    index === undefined ? name : Number(index),
  );
}
