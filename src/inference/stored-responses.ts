import type { Charge } from '#billing';
import type { Sql } from '#db';

/** What is to be stored of an answer, so that later calls can go on from it. */
export type NewStoredResponse = {
  id: string;
  /** The response that this one follows. */
  previousId: string | null;
  model: string;
  /** What was sent with this call, without what was stored before. */
  input: object[];
  /** The body of the answer. */
  body: object;
};

export type StoredResponse = NewStoredResponse & { createdAt: Date };

/** Keeps responses beyond their calls. */
export type ResponseStore = {
  /**
   * Stores a response together with what its call costs, before that is paid: whoever reads it pays, unless that was done. In
   * the transaction `tx`, if it is one. Storing it again changes nothing; one that is too large is not stored.
   */
  keep: (kept: { response: NewStoredResponse; charge: Charge }, tx?: Sql) => Promise<void>;
  /** What a caller has stored in the project that he was let into. */
  of: (caller: { accountId: string; project: { id: string } }) => StoredResponses;
};

/** What an account has stored in a project. */
export type StoredResponses = {
  find: (id: string) => Promise<StoredResponse | null>;
  /** The response and those it follows, the oldest first; null when one of them is gone. */
  chain: (id: string) => Promise<StoredResponse[] | null>;
  /** Whether there was one. */
  remove: (id: string) => Promise<boolean>;
};

const mostBytes = 2 * 1024 * 1024;

/** Of input and body, as JSON texts. */
export const storedBytes = (input: string, body: string): number => Buffer.byteLength(input) + Buffer.byteLength(body);

export const fitsStore = (bytes: number): boolean => bytes <= mostBytes;

/** What there is where responses are not stored. */
export const nothingStored: StoredResponses = {
  find: async () => null,
  chain: async () => null,
  remove: async () => false,
};
