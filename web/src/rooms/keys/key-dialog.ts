import type { Key } from './keys-queries.ts';

export type KeyDialogProps = { apiKey: Key; isOpen: boolean; onClose: () => void };
