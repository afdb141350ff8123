/**
 * An adapter that cannot be taken: damaged, of a kind that is not served, or made for something else. The message is one
 * line for a person and names neither paths nor values.
 */
export class AdapterError extends Error {
  override readonly name = 'AdapterError';
}
