/** What a model says with and without an adapter, by token ids; one child process per request. */
export type ProbeRequest = {
  ggufPath: string;
  adapterPath: string;
  kind: 'text' | 'embedding';
  /** Token ids; of each sample the logits behind its last token are returned, or its vector. */
  samples: number[][];
};

export type ProbeValues = { base: number[]; adapted: number[] };
