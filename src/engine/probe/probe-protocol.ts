/** What a model says with and without an adapter, asked by token ids; one child process per question. */
export type ToProbe =
  | {
      type: 'probe';
      ggufPath: string;
      adapterPath: string;
      kind: 'text' | 'embedding';
      /** Token ids; of each sample the logits behind its last token are told, or its vector. */
      samples: number[][];
    }
  | { type: 'stop' };

export type ProbeValues = { base: number[]; adapted: number[] };

export type FromProbe = { type: 'probed'; values: ProbeValues[] } | { type: 'failed'; message: string };
