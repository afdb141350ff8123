import { focusManager, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { basePath } from '../../api/page-settings.ts';
import { type Job, type JobPath, jobQuery, type LogLine } from './training-queries.ts';

/** Lines in the page; the server has the others. */
const maxLines = 3_000;
/** Metrics and costs are refetched at most this often. */
const refreshMs = 1_500;

export type StreamState = 'opening' | 'following' | 'ended' | 'lost';

/**
 * Follows a job: log, state and progress. After a disconnect the browser resumes at the last line (`Last-Event-ID`),
 * so that no line is missing or doubled.
 */
export function useJobStream(path: JobPath, attempt: number) {
  const queryClient = useQueryClient();
  const [lines, setLines] = useState<readonly LogLine[]>([]);
  const [state, setState] = useState<StreamState>('opening');
  const { owner, project, id } = path;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt is another thing to follow
  useEffect(() => {
    const jobPath = { owner, project, id };
    const address = ['projects', owner, project, 'training-jobs', id, 'logs'].map(encodeURIComponent).join('/');
    const source = new EventSource(`${basePath()}/api/v1/${address}`);
    let waiting: LogLine[] = [];
    let frame = 0;
    let refreshTimer: ReturnType<typeof setTimeout> | undefined;
    setLines([]);
    setState('opening');

    const show = () => {
      const added = waiting;
      waiting = [];
      frame = 0;
      setLines((shown) => after(shown, added).slice(-maxLines));
    };
    const refresh = () => {
      refreshTimer ??= setTimeout(() => {
        refreshTimer = undefined;
        // Hidden pages fetch nothing; the queries are invalidated when the page is visible again.
        const refetchType = focusManager.isFocused() ? 'active' : 'none';
        for (const part of ['metrics', 'one', 'attempts'])
          void queryClient.invalidateQueries({ queryKey: ['training', part, owner, project, id], refetchType });
      }, refreshMs);
    };
    const change = (fields: Partial<Job>) =>
      queryClient.setQueryData(jobQuery(jobPath).queryKey, (job) => job && { ...job, ...fields });

    source.onopen = () => setState('following');
    // The browser reconnects by itself, unless the server refused.
    source.onerror = () => setState(source.readyState === EventSource.CLOSED ? 'lost' : 'opening');
    source.addEventListener('log', ({ data }) => {
      waiting.push(read(data));
      frame ||= requestAnimationFrame(show);
    });
    source.addEventListener('state', ({ data }) => {
      change(read(data));
      refresh();
    });
    source.addEventListener('progress', ({ data }) => {
      change({ progress: read(data) });
      refresh();
    });
    source.addEventListener('end', () => {
      source.close();
      setState('ended');
      // The result is not part of the event.
      for (const room of ['training', 'dashboard', 'billing']) void queryClient.invalidateQueries({ queryKey: [room] });
    });
    return () => {
      source.close();
      cancelAnimationFrame(frame);
      clearTimeout(refreshTimer);
    };
  }, [owner, project, id, attempt, queryClient]);
  return { lines, state };
}

/** Appends lines; after a reconnect one may come again. */
function after(lines: readonly LogLine[], added: readonly LogLine[]): readonly LogLine[] {
  const last = lines.at(-1)?.seq ?? 0;
  return [...lines, ...added.filter(({ seq }) => seq > last)];
}

// as: the server sends events of its contract.
const read = <Value>(data: string): Value => JSON.parse(data) as Value;
