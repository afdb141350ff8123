import { type Fault, fault } from '#kernel';

/** The refusal of one field of a request: 400 with the field's path. */
export function refuse(param: string, message: string): Fault {
  return fault('invalid_request', { param, message: `${param}: ${message}` });
}
