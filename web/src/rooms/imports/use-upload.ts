import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { type ImportPath, importQuery } from './imports-queries.ts';
import { uploadFile } from './upload-file.ts';

export type Upload = { sentBytes: number; isWaiting: boolean; error: unknown; retry: () => void };

/** Uploads while the page is open. */
export function useUpload(at: ImportPath, { file, receivedBytes }: { file: File; receivedBytes: number }): Upload {
  const queryClient = useQueryClient();
  const { owner, project, import: id } = at;
  const [sentBytes, setSentBytes] = useState(receivedBytes);
  const [isWaiting, setWaiting] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [round, setRound] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: where it begins is known once; another round begins anew
  useEffect(() => {
    const stop = new AbortController();
    const here = { owner, project, import: id };
    const run = async () => {
      try {
        const { signal } = stop;
        const done = await uploadFile({
          ...{ at: here, file, signal, receivedBytes: round === 0 ? receivedBytes : 0 },
          onProgress: setSentBytes,
          onConnectionLost: setWaiting,
        });
        queryClient.setQueryData(importQuery(here).queryKey, done);
      } catch (failure) {
        if (!stop.signal.aborted) setError(failure);
      }
    };
    void run();
    return () => stop.abort();
  }, [owner, project, id, file, round, queryClient]);
  const retry = () => {
    setError(null);
    setRound((now) => now + 1);
  };
  return { sentBytes, isWaiting, error, retry };
}
