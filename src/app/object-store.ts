import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ObjectLocation } from '#datasets';
import { OperatorError, secretIn } from '#kernel';
import { type ObjectStore, openFolderStore, openS3 } from '#objects';
import type { Config } from '../config.ts';

/** Opens the object store and makes sure that it can be written; otherwise throws an `OperatorError`. */
export async function openObjects(config: Config): Promise<ObjectStore> {
  const store = await openUncheckedObjects(config);
  await store.check();
  return store;
}

/** Opens the object store, whether or not it is there. */
export async function openUncheckedObjects(config: Config): Promise<ObjectStore> {
  const location = objectLocationOf(config);
  return location.kind === 's3' ? await openS3(location.place) : openFolderStore(location.root);
}

/** Where the object store is, for a process that opens it itself. */
export function objectLocationOf(config: Config): ObjectLocation {
  const { objectStore: bucket, s3Region: region, s3Endpoint: endpoint, dataDir } = config;
  const credentials = credentialsOf(config);
  if (!bucket) return { kind: 'folder', root: join(dataDir, 'objects') };
  return { kind: 's3', place: { ...bucket, region, endpoint, credentials } };
}

const readText = (file: string) => readFileSync(file, 'utf8');

function credentialsOf(config: Config): { accessKeyId: string; secretAccessKey: string } | null {
  const accessKeyId =
    config.s3AccessKeyId ?? secretIn(config.s3AccessKeyIdFile, 'FANFOLD_S3_ACCESS_KEY_ID_FILE', readText);
  const secretAccessKey =
    config.s3SecretAccessKey ?? secretIn(config.s3SecretAccessKeyFile, 'FANFOLD_S3_SECRET_ACCESS_KEY_FILE', readText);
  if (accessKeyId !== null && secretAccessKey !== null) return { accessKeyId, secretAccessKey };
  if (accessKeyId === null && secretAccessKey === null) return null;
  throw new OperatorError('FANFOLD_S3_ACCESS_KEY_ID and FANFOLD_S3_SECRET_ACCESS_KEY belong together.');
}
