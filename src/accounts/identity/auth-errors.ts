import { Fault, fault, isFields } from '#kernel';
import type { Flow } from './flow.ts';

/** A refusal of better-auth in our words. What it says beyond these is a defect, and is told to nobody but the log. */
export function faultOfAuth(error: unknown, flow: Flow): Fault {
  if (flow.fault) return flow.fault;
  if (error instanceof Fault) return error;
  switch (codeOf(error)) {
    case 'INVALID_EMAIL_OR_PASSWORD':
    case 'INVALID_EMAIL':
      return wrongEmailOrPassword();
    case 'USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL':
      return fault('email_taken', { param: 'email' });
    case 'PROVIDER_NOT_FOUND':
      return providerUnavailable(error);
    default:
      return fault('internal_error', { cause: error });
  }
}

/** The same for an unknown address, an account without a password and a wrong password. */
export function wrongEmailOrPassword(): Fault {
  return fault('invalid_credentials', { message: 'The e-mail address or the password is wrong.' });
}

export function providerUnavailable(cause?: unknown): Fault {
  return fault('service_unavailable', {
    message: 'The identity provider cannot be reached at present.',
    retryAfterSeconds: 5,
    cause,
  });
}

/** `APIError` of better-auth keeps its code in the body of its answer. */
function codeOf(error: unknown): unknown {
  const body: unknown = error instanceof Error && 'body' in error ? error.body : null;
  return isFields(body) ? body.code : null;
}
