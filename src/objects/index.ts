export { openFolderStore } from './folder-store.ts';
export type { ByteRange, ObjectStore, StoredObject } from './object-store.ts';
export { openS3Store, type S3Place } from './s3-store.ts';
