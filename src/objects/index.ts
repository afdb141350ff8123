export { openFolderStore } from './folder-store.ts';
export type { ListedObject, ObjectStore } from './object-store.ts';
export { openS3 } from './open-s3.ts';
export type { S3Location } from './s3-store.ts';
