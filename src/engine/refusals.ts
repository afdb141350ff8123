import { type Fault, fault } from '#kernel';

export const stopping = (): Fault =>
  fault('capacity_unavailable', { message: 'The server is stopping.', retryAfterSeconds: 5 });

export const notInstalled = (modelId: string): Fault =>
  fault('model_not_installed', {
    param: 'model',
    message: `The model ${modelId} is not installed. Its operator can run: fanfold models pull ${modelId} (or fanfold models add ${modelId} --kind KIND --gguf FILE).`,
  });

/**
 * Not `model_warming`: clients repeat that by themselves, up to ten times, and a broken file does not heal. Not
 * `generation_failed`: nothing has run.
 */
export function cannotLoad(error: string, retryAfterSeconds: number): Fault {
  return fault('capacity_unavailable', {
    message: 'This model could not be loaded. The log of the server says why.',
    retryAfterSeconds,
    internal: error,
  });
}
