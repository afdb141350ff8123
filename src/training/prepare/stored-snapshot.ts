import { text } from 'node:stream/consumers';
import type { ObjectStore } from '#objects';
import { type SnapshotManifest, snapshotKeys } from './snapshot.ts';

/** Throws `artifact_not_found`. */
export async function readManifest(objects: ObjectStore, sha256: string): Promise<SnapshotManifest> {
  // Written by this room under the digest of what it says.
  return JSON.parse(await text(await objects.get(snapshotKeys(sha256).manifest))) as SnapshotManifest;
}

/** The manifest first: without it there is no snapshot. */
export async function removeSnapshot(objects: ObjectStore, sha256: string): Promise<void> {
  const { manifest, ...files } = snapshotKeys(sha256);
  await objects.remove(manifest);
  for (const key of Object.values(files)) await objects.remove(key);
}
