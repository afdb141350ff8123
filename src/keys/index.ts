export { createKeyAuthenticator, createKeyUsage, type KeyUsage } from './authenticate.ts';
export { bearerDigest, maskedKey } from './key.ts';
export { keysRoutes } from './keys.routes.ts';
export { deleteKeysOf, type KeyRecord } from './keys.store.ts';
export { deleteKey, issueKey, listKeys, setKeyActive } from './keys.ts';
