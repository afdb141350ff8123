import type { ObjectStore } from './object-store.ts';
import type { S3Location } from './s3-store.ts';

/** Keeps objects in a bucket. The SDK is loaded only where there is one. */
export async function openS3(place: S3Location): Promise<ObjectStore> {
  const { openS3Store } = await import('./s3-store.ts');
  return openS3Store(place);
}
