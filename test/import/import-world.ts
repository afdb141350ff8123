import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type ObjectStore, openFolderStore } from '#objects';
import { seedAccount, seedKey, seedProject } from '#test/accounts.ts';
import { startApp, type TestApp, type TestAppOptions } from '#test/app.ts';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { sweepImports } from '../../src/datasets/imports/sweep.ts';
import { type ImportClient, importClient } from './import-client.ts';

export type ImportWorld = {
  db: TestDatabase;
  app: TestApp;
  key: string;
  accountId: string;
  text: ImportClient;
  embedding: ImportClient;
  /** Where the object store has its files. */
  objectsDir: string;
  /** Where sweeps look for what workers have left. */
  tempDir: string;
  /** What the server does once a minute; `change` is what is otherwise with the object store. */
  sweep: (change?: Partial<ObjectStore>) => Promise<void>;
  stop: () => Promise<void>;
};

type WorldOptions = TestAppOptions & { db?: TestDatabase };

/** The wired program, with an owner who has a text and an embedding project. It takes over `db`, or makes one. */
export async function createImportWorld({ db: given, ...options }: WorldOptions = {}): Promise<ImportWorld> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'fanfold-imports-'));
  const objectsDir = path.join(dataDir, 'objects');
  const tempDir = path.join(dataDir, 'temp');
  const db = given ?? (await createTestDatabase());
  const app = await startApp(db.database, { ...options, dataDir });
  const { accountId, slug } = await seedAccount(db.database);
  const { key } = await seedKey(db.database, { accountId });
  const clientOf = async (kind: 'text' | 'embedding') => {
    const { slug: project } = await seedProject(db.database, { accountId, kind });
    return importClient({ origin: app.origin, key, project: `${slug}/${project}` });
  };
  return {
    db,
    app,
    key,
    accountId,
    objectsDir,
    tempDir,
    text: await clientOf('text'),
    embedding: await clientOf('embedding'),
    sweep: (change = {}) =>
      sweepImports({
        database: db.database,
        objects: { ...openFolderStore(objectsDir), ...change },
        tempDir,
        task: { enqueue: async () => {}, resume: async () => {}, stop: () => {} },
      }),
    stop: async () => {
      await app.stop();
      await rm(dataDir, { recursive: true, force: true });
      await db.drop();
    },
  };
}
