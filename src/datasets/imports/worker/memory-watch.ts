import { readFile } from 'node:fs/promises';

/** Linux counts memory in these; with larger ones a process is only noticed later. */
const pageBytes = 4_096;

export type MemoryBound = { mostBytes: number; everyMs: number };

/**
 * Calls back once a process has more in memory than it may; never where the system does not report it (only Linux does). From outside,
 * because a process that unpacks a file may be busy with that alone. Returns how to stop.
 */
export function watchMemory(pid: number, { mostBytes, everyMs }: MemoryBound, onTooMuch: () => void): () => void {
  const stopped = new AbortController();
  const look = async () => {
    const text = await readFile(`/proc/${pid}/statm`, 'utf8').catch(() => '');
    const pages = Number(text.split(' ')[1] ?? 0);
    if (stopped.signal.aborted || pages * pageBytes <= mostBytes) return;
    stop();
    onTooMuch();
  };
  const timer = setInterval(() => void look(), everyMs).unref();
  const stop = () => {
    clearInterval(timer);
    stopped.abort();
  };
  return stop;
}
