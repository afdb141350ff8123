import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ObjectPlace } from '#datasets';
import { OperatorError, secretIn } from '#kernel';
import { type ObjectStore, openFolderStore, openS3 } from '#objects';
import { httpAddress, type SettingsOf, words } from './setting.ts';

export type ObjectValues = {
  /** Where files live that are too large for the database; null: in the data folder. */
  objectStore: { bucket: string; prefix: string } | null;
  /** Another server than Amazon's. */
  s3Endpoint: string | null;
  s3Region: string;
  /** null: found by the SDK, in the environment or from the machine's role. */
  s3AccessKeyId: string | null;
  /** Files that hold the credentials, instead. */
  s3AccessKeyIdFile: string | null;
  s3SecretAccessKey: string | null;
  s3SecretAccessKeyFile: string | null;
};

export const objectSettings: SettingsOf<ObjectValues> = {
  objectStore: {
    env: 'FANFOLD_OBJECT_STORE',
    fallback: null,
    expected: 'folder or s3://bucket/prefix',
    read: readPlace,
  },
  s3Endpoint: {
    env: 'FANFOLD_S3_ENDPOINT',
    fallback: null,
    expected: 'the http address of a server that speaks S3',
    read: httpAddress,
  },
  s3Region: { env: 'FANFOLD_S3_REGION', fallback: 'us-east-1', expected: 'a region', read: words },
  s3AccessKeyId: { env: 'FANFOLD_S3_ACCESS_KEY_ID', fallback: null, expected: 'an access key', read: words },
  s3AccessKeyIdFile: { env: 'FANFOLD_S3_ACCESS_KEY_ID_FILE', fallback: null, expected: 'a file', read: words },
  s3SecretAccessKey: { env: 'FANFOLD_S3_SECRET_ACCESS_KEY', fallback: null, expected: 'a secret', read: words },
  s3SecretAccessKeyFile: { env: 'FANFOLD_S3_SECRET_ACCESS_KEY_FILE', fallback: null, expected: 'a file', read: words },
};

function readPlace(text: string): ObjectValues['objectStore'] | undefined {
  if (text === 'folder') return null;
  const [, bucket, path = ''] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([A-Za-z0-9._/-]*))?$/.exec(text) ?? [];
  if (bucket === undefined) return undefined;
  const prefix = path.split('/').filter((part) => part !== '');
  return { bucket, prefix: prefix.map((part) => `${part}/`).join('') };
}

/** Opens the object store and makes sure that it can be written; otherwise throws an `OperatorError`. */
export async function openObjects(config: ObjectValues & { dataDir: string }): Promise<ObjectStore> {
  const store = await openObjectsUnseen(config);
  await store.check();
  return store;
}

/** Opens the object store, whether or not it is there. */
export async function openObjectsUnseen(config: ObjectValues & { dataDir: string }): Promise<ObjectStore> {
  const place = objectPlaceOf(config);
  return place.kind === 's3' ? await openS3(place.place) : openFolderStore(place.root);
}

/** Where the object store is, for a process that opens it itself. */
export function objectPlaceOf(config: ObjectValues & { dataDir: string }): ObjectPlace {
  const { objectStore: place, s3Region: region, s3Endpoint: endpoint, dataDir } = config;
  const credentials = credentialsOf(config);
  if (!place) return { kind: 'folder', root: join(dataDir, 'objects') };
  return { kind: 's3', place: { ...place, region, endpoint, credentials } };
}

const readText = (file: string) => readFileSync(file, 'utf8');

function credentialsOf(config: ObjectValues): { accessKeyId: string; secretAccessKey: string } | null {
  const accessKeyId =
    config.s3AccessKeyId ?? secretIn(config.s3AccessKeyIdFile, 'FANFOLD_S3_ACCESS_KEY_ID_FILE', readText);
  const secretAccessKey =
    config.s3SecretAccessKey ?? secretIn(config.s3SecretAccessKeyFile, 'FANFOLD_S3_SECRET_ACCESS_KEY_FILE', readText);
  if (accessKeyId !== null && secretAccessKey !== null) return { accessKeyId, secretAccessKey };
  if (accessKeyId === null && secretAccessKey === null) return null;
  throw new OperatorError('FANFOLD_S3_ACCESS_KEY_ID and FANFOLD_S3_SECRET_ACCESS_KEY belong together.');
}
