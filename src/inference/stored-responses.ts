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

/** What an account has stored in a project. */
export type StoredResponses = {
  find: (id: string) => Promise<StoredResponse | null>;
  /** The response and those it follows, the oldest first; null when one of them is gone. */
  chain: (id: string) => Promise<StoredResponse[] | null>;
  /** Whether there was one. */
  remove: (id: string) => Promise<boolean>;
};
