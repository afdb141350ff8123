import { fileURLToPath } from 'node:url';
import { fault } from '#kernel';
import { childEnvironment, type ProcessEnvironment, RequestProcess } from '#processes';
import type { ScanRequest, ScanResult, VectorFile } from './scan.ts';

export type Scanner = ReturnType<typeof createScanner>;

const script = fileURLToPath(new URL('./scan-child.ts', import.meta.url));
const idleMs = 60_000;
const timeoutMs = 120_000;
/** Queries of one message, so that a search of one query never waits for those of a whole evaluation. */
const mostQueries = 16;

/** Searches files of vectors in a child process, which starts with the first search and ends after a time without one. */
export function createScanner(environment: ProcessEnvironment) {
  const child = new RequestProcess<ScanRequest, ScanResult>({
    script,
    env: childEnvironment(environment, 'node'),
    nodeFlags: ['--max-semi-space-size=2'],
    isUnreferenced: true,
    timeoutMs,
    idleMs,
  });

  return {
    /** Throws `capacity_unavailable` when the search fails, twice. */
    async search(file: VectorFile, queries: readonly Float32Array[], count: number): Promise<ScanResult> {
      const parts: ScanResult[] = [];
      for (let at = 0; at < queries.length; at += mostQueries) {
        const request = { file, queries: joined(queries.slice(at, at + mostQueries), file.dimensions), count };
        // A child that died may have done so for any reason, so it gets the request twice.
        const found = child.request(request).catch(() => child.request(request));
        parts.push(await found.catch(unavailable));
      }
      return together(parts);
    },
    stop: (): void => void child.stop(),
  };
}

function unavailable(cause: unknown): never {
  throw fault('capacity_unavailable', { message: 'The index cannot be searched now.', retryAfterSeconds: 5, cause });
}

function joined(queries: readonly Float32Array[], dimensions: number): Float32Array {
  const all = new Float32Array(queries.length * dimensions);
  for (const [index, query] of queries.entries()) all.set(query, index * dimensions);
  return all;
}

function together(parts: readonly ScanResult[]): ScanResult {
  return {
    perQuery: parts[0]?.perQuery ?? 0,
    positions: Int32Array.from(parts.flatMap(({ positions }) => [...positions])),
    scores: Float32Array.from(parts.flatMap(({ scores }) => [...scores])),
  };
}
