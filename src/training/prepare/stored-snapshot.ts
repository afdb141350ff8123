import type { ObjectStore } from '#objects';
import { type SnapshotManifest, snapshotFiles, snapshotKeys } from './snapshot.ts';

/** Whether all of it is there. */
export async function isStored(objects: ObjectStore, manifest: SnapshotManifest): Promise<boolean> {
  const keys = snapshotKeys(manifest.sha256);
  if ((await objects.size(keys.manifest)) === null) return false;
  for (const name of snapshotFiles) {
    const file = manifest.files[name];
    if (file && (await objects.size(keys[name])) !== file.bytes) return false;
  }
  return true;
}

/** The manifest first: without it there is no snapshot. */
export async function removeSnapshot(objects: ObjectStore, sha256: string): Promise<void> {
  const { manifest, ...files } = snapshotKeys(sha256);
  await objects.remove(manifest);
  for (const key of Object.values(files)) await objects.remove(key);
}
