export { createIndexes } from './indexes-room.ts';
export { scan } from './vectors/scan.ts';
