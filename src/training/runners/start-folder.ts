import { access, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AttemptRef } from './runner.ts';

/**
 * What is known of one start of an attempt, on disk, so that it outlives the server (`start.sh`):
 *   output.log   all that the trainer printed
 *   claimed/     exists once a process has begun; only the one that made it goes on
 *   claimed/pid  its process group
 *   canceled     somebody asked it to end
 *   exit         its exit code; missing while it runs, and for good when it was killed
 */
export class StartFolder {
  readonly path: string;

  constructor(specFolder: string, { restart = 0 }: AttemptRef) {
    this.path = join(specFolder, `start-${restart}`);
  }

  get outputPath(): string {
    return join(this.path, 'output.log');
  }

  async make(): Promise<void> {
    await mkdir(this.path, { recursive: true });
  }

  /** Process group of the one that has begun; 0 where it did not come so far as to say it; null: none has begun. */
  async claimant(): Promise<number | null> {
    const pid = await readText(join(this.path, 'claimed', 'pid'));
    if (pid !== null) return Number.parseInt(pid, 10) || 0;
    return (await exists(join(this.path, 'claimed'))) ? 0 : null;
  }

  async exitCode(): Promise<number | null> {
    const code = await readText(join(this.path, 'exit'));
    return code === null ? null : Number.parseInt(code, 10);
  }

  async markCanceled(): Promise<void> {
    await writeFile(join(this.path, 'canceled'), '');
  }

  isCanceled(): Promise<boolean> {
    return exists(join(this.path, 'canceled'));
  }
}

async function readText(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch {
    return null;
  }
}

export function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
