import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import type { Database } from '#db';
import { createTestDatabase, type TestDatabase, type TestDatabaseOptions } from './database.ts';

type FileDatabaseOptions = TestDatabaseOptions & {
  /** What all tests of the file begin with. Not in a `before` of its own, which would not wait for that of the database. */
  prepare?: (database: Database) => Promise<unknown>;
};

/** The database of a test file that needs no more of it: it is there from before the first test until after the last. */
export function fileDatabase({ prepare, ...options }: FileDatabaseOptions = {}): () => Database {
  let made: TestDatabase | undefined;
  before(async () => {
    made = await createTestDatabase(options);
    await prepare?.(made.database);
  });
  after(() => made?.drop());
  return () => {
    assert(made, 'The database is made before the first test of its file.');
    return made.database;
  };
}
