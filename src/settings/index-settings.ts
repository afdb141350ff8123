import { byteUnit, number, type SettingsOf } from './setting.ts';

export type IndexValues = {
  /** Vectors that are kept as files on this machine, together. */
  indexFileBytes: number;
  /** Different texts of one index. */
  maxIndexDocuments: number;
};

export const indexSettings: SettingsOf<IndexValues> = {
  indexFileBytes: {
    env: 'FANFOLD_INDEX_FILES_MIB',
    fallback: 8_192 * byteUnit,
    expected: 'MiB, 1 to 10000000',
    read: number(1, 10_000_000, byteUnit),
  },
  maxIndexDocuments: {
    env: 'FANFOLD_MAX_INDEX_DOCUMENTS',
    fallback: 1_000_000,
    expected: 'a number of documents, 1 to 100000000',
    read: number(1, 100_000_000),
  },
};
