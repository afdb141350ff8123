export { peftFiles } from './adapter-config.ts';
export { AdapterError } from './adapter-error.ts';
export { convertAdapter } from './convert-adapter.ts';
export { type PackedFile, packFiles } from './pack-adapter.ts';
export { readHeads } from './rope-order.ts';
export { unpackFiles } from './unpack-adapter.ts';
