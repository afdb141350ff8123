import { fault } from '#kernel';
import { ModelBusyError, ModelError } from '#models';

/** Gives an operator in a browser the error, with the advice that helps there. */
export async function withModelFaults<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ModelBusyError) throw fault('in_use', { message: error.requestMessage, cause: error });
    if (error instanceof ModelError) throw fault('invalid_request', { message: error.requestMessage, cause: error });
    throw error;
  }
}
