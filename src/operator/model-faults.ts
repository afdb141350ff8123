import { fault } from '#kernel';
import { ModelBusyError, ModelError } from '#models';

/** Tells an operator in a browser what a person at a terminal reads. */
export async function withModelFaults<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ModelBusyError) throw fault('in_use', { message: error.message, cause: error });
    if (error instanceof ModelError) throw fault('invalid_request', { message: error.message, cause: error });
    throw error;
  }
}
