import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, before, describe, test } from 'node:test';
import { newId } from '#kernel';
import { type ObjectStore, openFolderStore, openS3 } from '#objects';
import { seedAccount, seedProject } from '#test/accounts.ts';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { startS3Server } from '#test/object-server.ts';
import { checkObjects } from './doctor-objects.ts';

async function openFolder() {
  const root = await mkdtemp(join(tmpdir(), 'fanfold-doctor-'));
  return { objects: openFolderStore(root), end: () => rm(root, { recursive: true }) };
}

async function openBucket() {
  const { stop, ...place } = await startS3Server();
  const objects = await openS3(place);
  return {
    objects,
    end: async () => {
      await objects.close();
      await stop();
    },
  };
}

const inTwoDays = Date.now() + 2 * 86_400_000;
const digest = (letter: string) => letter.repeat(64);

for (const [name, open] of [
  ['folder', openFolder],
  ['S3', openBucket],
] as const)
  describe(`orphan objects in ${name}`, () => {
    let db: TestDatabase;
    let objects: ObjectStore;
    let end: () => Promise<unknown>;
    let importId: string;
    before(async () => {
      db = await createTestDatabase();
      ({ objects, end } = await open());
      importId = await seedImport();
    });
    after(async () => {
      await end();
      await db.drop();
    });

    async function seedImport(): Promise<string> {
      const { accountId } = await seedAccount(db.database);
      const { projectId } = await seedProject(db.database, { accountId });
      const id = newId('imp');
      await db.database.query(
        `insert into imports (id, project_id, dataset_name, state, file_name, size_bytes, reader_options, options, created_by, issues_key)
         values ($1, $2, 'Lamps', 'awaiting_upload', 'lamps.csv', 9, '{}', '{}', '{}', $3)`,
        [id, projectId, `imports/${id}/reading-1.issues.ndjson`],
      );
      await db.database.query('insert into import_parts (key, import_id, first_byte) values ($1, $2, 0)', [
        `imports/${id}/part-0-known`,
        id,
      ]);
      return id;
    }

    const put = (...keys: string[]) =>
      Promise.all(keys.map((key) => objects.put(key, Readable.from([Buffer.from('x'.repeat(50_000))]))));
    const keysThere = async () =>
      (await Array.fromAsync(objects.list())).flatMap((page) => page.map(({ key }) => key)).toSorted();
    async function check({ removes = false, nowMs = inTwoDays } = {}) {
      const lines: string[] = [];
      const print = (line: string) => void lines.push(line);
      const problems = await checkObjects({ database: db.database, objects, removes, print, nowMs });
      return { lines, problems };
    }

    test('objects that rows lead to, that are young, or that the program does not make are never named nor removed', async () => {
      const kept = [
        `imports/${importId}/part-0-known`,
        `imports/${importId}/reading-1.issues.ndjson`,
        `imports/${importId}/notes.txt`,
        `training/snapshots/${digest('a')}/manifest.json`,
        'training/notes.txt',
        'others/file',
      ].toSorted();
      await db.database.query('insert into training_snapshots (sha256) values ($1)', [digest('a')]);
      await put(...kept, `imports/${importId}/part-9-young`);
      const { lines } = await check({ removes: true, nowMs: Date.now() });
      assert.deepEqual(lines, ['objects: rows lead to all that are older than a day']);
      assert.deepEqual(await keysThere(), [...kept, `imports/${importId}/part-9-young`].toSorted());
      await objects.remove(`imports/${importId}/part-9-young`);
      assert.deepEqual((await check({ removes: true })).lines, ['objects: rows lead to all that are older than a day']);
      assert.deepEqual(await keysThere(), kept);
    });

    test('those that nothing leads to are named, and removed when that is asked for, but not where somebody else has objects, too', async () => {
      const before = await keysThere();
      const part = `imports/${importId}/part-7-left`;
      const snapshot = `training/snapshots/${digest('b')}/train.jsonl`;
      const foreign = `imports/${newId('imp')}/part-0-x`;
      await put(part, snapshot, foreign);
      const found = await check();
      assert.deepEqual(found.problems, []);
      assert.equal(found.lines[0], 'objects: nothing leads to 2 objects (0.1 MB):');
      assert.deepEqual(found.lines.slice(1, 3).toSorted(), [`  ${part}`, `  ${snapshot}`]);
      assert.match(found.lines[3] ?? '', /1 object .* does not know/);
      assert.match(found.lines[4] ?? '', /--remove-objects/);

      assert.match((await check({ removes: true })).problems[0] ?? '', /nothing was removed/);
      assert.deepEqual(await keysThere(), [...before, part, snapshot, foreign].toSorted());

      await objects.remove(foreign);
      assert.deepEqual((await check({ removes: true })).problems, []);
      assert.deepEqual(await keysThere(), [...before, snapshot].toSorted());
      const adopted = await db.database.query(
        `select sha256 from training_snapshots where noted_at < now() - interval '1 day'`,
      );
      assert.deepEqual(adopted, [{ sha256: digest('b') }], 'servers remove frozen data under its lock');
      assert.deepEqual((await check()).lines, ['objects: rows lead to all that are older than a day']);
    });
  });
