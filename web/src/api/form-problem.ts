import { isProblem } from './problem.ts';

/** As much of a form as is needed here. */
type Form = { values: object; setFieldError: (path: string, error: string) => void };

/**
 * Puts what the server says of a field beside that field; false when it is about none, so that it must be told
 * elsewhere. Fields have the names that they have in the interface.
 */
export function applyProblem(form: Form, error: unknown): boolean {
  if (!isProblem(error) || error.param === null || !(error.param in form.values)) return false;
  form.setFieldError(error.param, error.message);
  return true;
}

/** Whether a failure is about a field of the form, beside which it is shown. */
export function isAboutField(form: Form, error: unknown): boolean {
  return isProblem(error) && error.param !== null && error.param in form.values;
}
