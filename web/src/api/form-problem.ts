import { isProblem } from './problem.ts';

type Form = { values: object; setFieldError: (path: string, error: string) => void };

/**
 * Shows the error of a field beside that field. False if the error is about no field of the form. Fields have the
 * names of the API.
 */
export function applyProblem(form: Form, error: unknown): boolean {
  if (!isProblem(error) || error.param === null || !(error.param in form.values)) return false;
  form.setFieldError(error.param, error.message);
  return true;
}

export function isAboutField(form: Form, error: unknown): boolean {
  return isProblem(error) && error.param !== null && error.param in form.values;
}
