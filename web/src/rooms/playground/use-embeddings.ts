import { useCallback, useEffect, useRef, useState } from 'react';
import { call } from '../../api/call.ts';
import type { ProjectPath } from '../projects/index.ts';
import { retryWhileLoading, type Waiting } from './retry-while-loading.ts';

type Embedded = { vectors: number[][]; tokens: number };

/** One request per text: several would share the token limit. */
const atOnce = 2;

/** Embeds texts with the public API, and caches the vectors. */
export function useEmbeddings({ owner, project }: ProjectPath) {
  const [known] = useState(() => new Map<string, { vector: number[]; tokens: number }>());
  const [done, setDone] = useState(0);
  const [waiting, setWaiting] = useState<Waiting | null>(null);
  const leaving = useRef<AbortController | null>(null);
  useEffect(
    () => () => {
      leaving.current?.abort();
      leaving.current = null;
    },
    [],
  );

  const embedOne = useCallback(
    async (model: string, input: string, type: 'query' | 'document') => {
      const name = JSON.stringify([model, type, input]);
      const before = known.get(name);
      if (before) return before;
      leaving.current ??= new AbortController();
      const answer = await retryWhileLoading(
        () =>
          call('POST /api/v1/projects/{owner}/{project}/embeddings', {
            path: { owner, project },
            body: { model, input, input_type: type, encoding_format: 'float' },
          }),
        { signal: leaving.current.signal, onWait: setWaiting },
      );
      const vector = answer.data[0]?.embedding;
      const one = { vector: Array.isArray(vector) ? vector : [], tokens: answer.usage.prompt_tokens };
      known.set(name, one);
      return one;
    },
    [owner, project, known],
  );

  const embed = useCallback(
    async (model: string, texts: readonly string[], type: 'query' | 'document' = 'document'): Promise<Embedded> => {
      setDone(0);
      const found: { vector: number[]; tokens: number }[] = [];
      for (let at = 0; at < texts.length; at += atOnce) {
        const some = texts.slice(at, at + atOnce);
        found.push(...(await Promise.all(some.map((text) => embedOne(model, text, type)))));
        setDone(found.length);
      }
      return {
        vectors: found.map(({ vector }) => vector),
        tokens: found.reduce((sum, { tokens }) => sum + tokens, 0),
      };
    },
    [embedOne],
  );

  return { embed, done, waiting };
}
