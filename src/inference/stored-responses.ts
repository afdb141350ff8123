import type { Attachment } from '#calls';

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

/** Whose call it is, in which project. */
export type ResponseCaller = { accountId: string; project: { id: string } };

/** Stores responses beyond their calls. */
export type ResponseStore = {
  /** Stores a response in the transaction of its charge, so that nobody reads one that is not paid. Null: it is too large. */
  attachment: (caller: ResponseCaller, response: NewStoredResponse) => Attachment | null;
  /** What a caller has stored in a project. */
  of: (caller: ResponseCaller) => StoredResponses;
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
