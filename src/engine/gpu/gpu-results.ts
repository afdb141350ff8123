import { readFile, rename, writeFile } from 'node:fs/promises';
import Type from 'typebox';
import { Value } from 'typebox/value';

/** What a probe of a backend found; other failures than crashes are found anew in no time, and are not stored. */
const resultSchema = Type.Object({
  backend: Type.String(),
  /** null: the backend works. */
  failure: Type.Union([Type.String(), Type.Null()]),
  names: Type.Array(Type.String()),
  totalBytes: Type.Number(),
  probedMs: Type.Number(),
});
const fileSchema = Type.Object({ key: Type.String(), results: Type.Array(resultSchema) });

export type GpuProbeResult = Type.Static<typeof resultSchema>;

/** A crash may have passing reasons, such as a GPU that was full. */
const failureMs = 24 * 60 * 60_000;

/** The results of earlier probes under the same key; a file that is missing or damaged has none. */
export async function readGpuResults(path: string, { key, nowMs }: { key: string; nowMs: number }) {
  const results = new Map<string, GpuProbeResult>();
  try {
    const stored: unknown = JSON.parse(await readFile(path, 'utf8'));
    if (!Value.Check(fileSchema, stored) || stored.key !== key) return results;
    for (const result of stored.results)
      if (result.failure === null || nowMs - result.probedMs < failureMs) results.set(result.backend, result);
  } catch {
    // It only saves time.
  }
  return results;
}

/** Throws the file system's error. */
export async function writeGpuResults(path: string, key: string, results: readonly GpuProbeResult[]): Promise<void> {
  const draft = `${path}.${process.pid}.draft`;
  await writeFile(draft, `${JSON.stringify({ key, results }, null, 2)}\n`);
  await rename(draft, path);
}
