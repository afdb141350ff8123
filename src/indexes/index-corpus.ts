import type { Sql } from '#db';
import { listDocumentsAt } from './documents.store.ts';
import type { Corpus } from './evaluation/evaluate.ts';
import type { Scanner } from './vectors/scanner.ts';
import type { VectorFiles, Vectors } from './vectors/vector-files.ts';

export type SearchDeps = { sql: Sql; scanner: Scanner; files: VectorFiles };

export function corpusOf({ sql, scanner, files }: SearchDeps, index: Vectors): Corpus {
  return {
    search: async (queries, count) => {
      try {
        return await scanner.search(await files.open(index), queries, count);
      } catch {
        // The file may be damaged or removed to make room: it is made again for a second try.
        await files.forget(index.id);
        return scanner.search(await files.open(index), queries, count);
      }
    },
    identify: async (positions) => {
      const documents = await listDocumentsAt(sql, index.id, positions);
      return new Map(documents.map((document) => [document.position, document]));
    },
  };
}
