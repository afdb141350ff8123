import { randomUUID } from 'node:crypto';
import { chmod, cp, lstat, mkdir, readdir, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, posix, relative, sep } from 'node:path';
import { OperatorError, systemCodeOf } from '#kernel';
import type { TrainerStart } from './runner.ts';

export type SharedFolder = {
  here: string;
  there: string;
};

/**
 * Where a start of an attempt lives in a folder that this machine and the workers share. It is a copy: what the trainer
 * needs is put there before it begins, and what it wrote is brought back. Workers may be other users: what is put there is as open
 * as the shared folder itself.
 */
export class SharedAttempt {
  readonly #folder: SharedFolder;
  readonly #run: TrainerStart;
  readonly #name: string;

  constructor(folder: SharedFolder, run: TrainerStart) {
    this.#folder = folder;
    this.#run = run;
    this.#name = `attempts/${run.jobId}/${run.attempt}-${run.restart ?? 0}`;
  }

  get specPath(): string {
    return posix.join(this.#folder.there, this.#name, 'spec.json');
  }

  /** All that the trainer printed, on this machine. */
  get outputPath(): string {
    return join(this.#here, outputName);
  }

  get outputPathThere(): string {
    return posix.join(this.#folder.there, this.#name, outputName);
  }

  get #here(): string {
    return join(this.#folder.here, this.#name);
  }

  get #outHere(): string {
    return join(this.#here, this.#run.spec.out_dir);
  }

  get #outHome(): string {
    return join(this.#run.specFolder, this.#run.spec.out_dir);
  }

  async layOut(): Promise<void> {
    const { spec, specFolder } = this.#run;
    await stat(this.#folder.here).catch((cause: unknown) => {
      throw new OperatorError(`The folder that is shared with Ray is not there: ${this.#folder.here}.`, { cause });
    });
    await mkdir(this.#outHere, { recursive: true });
    const needed = (path: string) => this.#isNeeded(relative(specFolder, path));
    await cp(specFolder, this.#here, { recursive: true, dereference: true, filter: needed });
    const dir = await this.#layOutBase();
    // Its end is not tied to this process: Ray minds it.
    const shared = { ...spec, base: { ...spec.base, dir }, orphan: 'continue' };
    await writeFile(join(this.#here, 'spec.json'), JSON.stringify(shared));
    const mode = await modeOf(this.#folder.here);
    for (const above of [dirname(this.#here), dirname(dirname(this.#here))]) await setMode(above, mode);
    await setModes(this.#here, mode);
  }

  /** Brings back the files that an event names. What is gone already, as old checkpoints are, is left. */
  async bring(path: string): Promise<void> {
    const [first = ''] = path.split('/');
    await this.#bringOne(first === '' ? path : first);
  }

  /** Brings back everything that was written, and what was printed to a file of this machine. */
  async bringAll(outputPath: string): Promise<void> {
    const names = await readdir(this.#outHere).catch(() => []);
    for (const name of names) if (!name.endsWith('.tmp')) await this.#bringOne(name);
    await cp(this.outputPath, outputPath).catch(ignoreOthers);
  }

  /** Whether it was put there, and nobody has taken it away. */
  async isThere(): Promise<boolean> {
    return (await stat(this.#here).catch(() => null)) !== null;
  }

  /** At once: whoever brings things back at the same time must not take a part for the whole. */
  async remove(): Promise<void> {
    const gone = `${this.#here}.${randomUUID()}`;
    await rename(this.#here, gone).catch(() => {});
    await rm(gone, { recursive: true, force: true });
    // The folder of the job, where no other start of it is there.
    await rmdir(dirname(this.#here)).catch(() => {});
  }

  /** All but what earlier starts left; of their output only what this one goes on from. */
  #isNeeded(path: string): boolean {
    const { spec } = this.#run;
    const [first = '', second] = path.split(sep);
    if (first.startsWith('start-')) return false;
    if (first !== spec.out_dir || second === undefined) return true;
    return second === 'events.jsonl' || second === spec.resume_from;
  }

  async #layOutBase(): Promise<string> {
    const { dir, sha256 } = this.#run.spec.base;
    const name = `models/${sha256}`;
    const here = join(this.#folder.here, name);
    const isThere = await stat(here).catch(() => null);
    const source = await stat(dir).catch(() => null);
    if (!isThere && source) {
      const draft = `${here}.${randomUUID()}`;
      await mkdir(dirname(here), { recursive: true });
      await cp(dir, draft, { recursive: true, dereference: true });
      const mode = await modeOf(this.#folder.here);
      await setMode(dirname(here), mode);
      await setModes(draft, mode);
      // Somebody may have put the same there meanwhile.
      await rename(draft, here).catch(() => rm(draft, { recursive: true, force: true }));
    }
    return posix.join(this.#folder.there, name);
  }

  /** A file or folder of the output: whole, or not at all. Links are left: they could lead anywhere. */
  async #bringOne(name: string): Promise<void> {
    const source = join(this.#outHere, name);
    const target = join(this.#outHome, name);
    const draft = join(this.#outHome, `.bringing-${basename(name)}`);
    const isCheckpoint = /^ckpt-\d+$/.test(name);
    if (isCheckpoint && (await stat(target).catch(() => null))) return;
    await mkdir(this.#outHome, { recursive: true });
    await rm(draft, { recursive: true, force: true });
    try {
      await cp(source, draft, { recursive: true, filter: async (path) => !(await lstat(path)).isSymbolicLink() });
      await setModes(draft, ownersMode);
      if (!isCheckpoint) await rm(target, { recursive: true, force: true });
      await rename(draft, target);
    } catch (error) {
      await rm(draft, { recursive: true, force: true });
      if (systemCodeOf(error) !== 'ENOENT') throw error;
    }
  }
}

const outputName = 'output.log';
const [everyRight, rightsOfFiles] = [0o777, 0o666];
/** Only the owner may enter and read. */
const ownersMode = 0o700;

export async function modeOf(folder: string): Promise<number> {
  return (await lstat(folder)).mode & everyRight;
}

/**
 * Gives a file, or a folder and all in it, to those that `mode` lets into a folder: what is copied brings along the modes of where it comes
 * from. What has gone meanwhile, or belongs to somebody else, stays as it is.
 */
async function setModes(path: string, mode: number): Promise<void> {
  const found = await lstat(path).catch(ignoreOthers);
  if (found?.isFile()) await setMode(path, mode & rightsOfFiles);
  if (!found?.isDirectory()) return;
  await setMode(path, mode);
  const names = (await readdir(path).catch(ignoreOthers)) ?? [];
  for (const name of names) await setModes(join(path, name), mode);
}

async function setMode(path: string, mode: number): Promise<void> {
  await chmod(path, mode).catch(ignoreOthers);
}

function ignoreOthers(error: unknown): void {
  if (!['EPERM', 'EACCES', 'ENOENT'].includes(systemCodeOf(error) ?? '')) throw error;
}
