import type { Key } from './keys-queries.ts';

/** What every dialog about a key is given. */
export type KeyDialogProps = { apiKey: Key; isOpen: boolean; onClose: () => void };
