import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { systemCodeOf } from '#kernel';
import type { ObjectStore } from '#objects';
import type { AttemptName } from '../jobs/job.ts';
import { type SnapshotManifest, snapshotKeys } from '../prepare/snapshot.ts';
import type { TrainerSpec } from '../runners/protocol.ts';
import { exists } from '../runners/start-folder.ts';

export const outName = 'out';
export const draftsName = 'drafts';

export function attemptFolder(root: string, { jobId, attempt }: AttemptName): string {
  return join(root, jobId, String(attempt));
}

export async function hasResult(folder: string): Promise<boolean> {
  const needed = ['check.json', 'adapter/adapter_config.json', 'adapter/adapter_model.safetensors'];
  const found = await Promise.all(needed.map((name) => exists(join(folder, outName, name))));
  return found.every((each) => each);
}

/** What of an attempt must stay is in the object store by now. */
export async function removeAttempt(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  // The job's own folder goes with its last attempt.
  await rmdir(dirname(folder)).catch(() => {});
}

/** Puts the data of the snapshot into the folder of an attempt, where they are not yet, or not whole. */
export async function layOutData(objects: ObjectStore, folder: string, snapshot: SnapshotManifest): Promise<void> {
  await mkdir(join(folder, outName), { recursive: true });
  const keys = snapshotKeys(snapshot.sha256);
  for (const name of ['train', 'eval', 'control', 'replay'] as const) {
    const path = join(folder, `${name}.jsonl`);
    const expected = snapshot.files[name];
    if (!expected || (await sizeOf(path)) === expected.bytes) continue;
    await fetchObject(objects, keys[name], path);
  }
}

export async function writeSpec(folder: string, spec: TrainerSpec): Promise<void> {
  await writeFile(join(folder, 'spec.json'), `${JSON.stringify(spec)}\n`);
}

/** Whether the attempt has run elsewhere: a trainer has said something that is not in this folder. */
export async function hasMoved(folder: string, { seq }: { seq: number }): Promise<boolean> {
  return seq > 0 && !(await exists(eventsPath(folder)));
}

/** Lets a trainer whose predecessor ran on another machine go on counting where that one was: its events and its active time. */
export async function continueCounting(
  folder: string,
  { seq, activeMs }: { seq: number; activeMs: number },
): Promise<void> {
  const path = eventsPath(folder);
  const line = JSON.stringify({ event: 'moved', seq, t: 0, active_ms: Math.round(activeMs) });
  await writeFile(`${path}.draft`, `${line}\n`);
  await rename(`${path}.draft`, path);
}

function eventsPath(folder: string): string {
  return join(folder, outName, 'events.jsonl');
}

export async function listCheckpoints(folder: string): Promise<string[]> {
  const names = await readdir(join(folder, outName)).catch(() => []);
  return names.filter((name) => /^ckpt-[0-9]+$/.test(name)).sort();
}

export function checkpointKey({ jobId, attempt }: AttemptName, name: string, file: string): string {
  return `training/jobs/${jobId}/${attempt}/${name}/${file}`;
}

/** Names of the files of a checkpoint; none: the trainer has removed it, as a newer one is there. */
export async function listCheckpointFiles(folder: string, name: string): Promise<string[]> {
  return (await readdir(join(folder, outName, name)).catch(noneIfGone)).sort();
}

/** Copies a checkpoint into the object store. False: the trainer has removed it meanwhile. */
export async function storeCheckpoint(
  objects: ObjectStore,
  folder: string,
  { name, files, signal, ...attempt }: AttemptName & { name: string; files: readonly string[]; signal: AbortSignal },
): Promise<boolean> {
  try {
    for (const file of files) {
      const source = createReadStream(join(folder, outName, name, file));
      await objects.put(checkpointKey(attempt, name, file), source, { signal });
    }
    return true;
  } catch (error) {
    noneIfGone(error);
    return false;
  }
}

function noneIfGone(error: unknown): string[] {
  if (systemCodeOf(error) === 'ENOENT') return [];
  throw error;
}

/** Brings a checkpoint back from the object store: whole, or not at all. */
export async function restoreCheckpoint(
  objects: ObjectStore,
  folder: string,
  { name, files, ...attempt }: AttemptName & { name: string; files: readonly string[] },
): Promise<void> {
  const place = join(folder, outName, name);
  if (await exists(place)) return;
  const draft = `${place}.restoring`;
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { recursive: true });
  for (const file of files) await fetchObject(objects, checkpointKey(attempt, name, file), join(draft, file));
  await rename(draft, place);
}

async function fetchObject(objects: ObjectStore, key: string, path: string): Promise<void> {
  const draft = `${path}.fetching`;
  await pipeline(await objects.get(key), createWriteStream(draft));
  await rename(draft, path);
}

async function sizeOf(path: string): Promise<number | null> {
  return stat(path).then(
    ({ size }) => size,
    () => null,
  );
}
