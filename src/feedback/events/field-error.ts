import { type Fault, fault } from '#kernel';

/**
 * What is wrong with one field of an event. `wrong`: its type, or it is missing, which is 422; otherwise its value is
 * not allowed, which is 400.
 */
export class FieldError extends Error {
  override readonly name = 'FieldError';
  readonly kind: 'type' | 'missing' | 'value';
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
    const loc = ['body', ...param.split(/[.[\]]+/).filter((part) => part !== '')];
    const detail = [{ type: kind, loc, msg: this.message }];
    return fault('invalid_shape', { message, detail, ...(param === '' ? {} : { param }) });
  }
}
