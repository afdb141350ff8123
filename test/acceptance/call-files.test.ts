import assert from 'node:assert/strict';
import { test } from 'node:test';
import { filesOfCall } from '#test/call-files.ts';
import { createTestDatabase } from '#test/database.ts';

/** A call has to be followed by people: a file more needs a reason. */
const mostFiles = { remote: 40, embedded: 43 };

for (const engine of ['remote', 'embedded'] as const) {
  test(`one warm chat call runs in few files (${engine} engine)`, async (t) => {
    const { database, drop } = await createTestDatabase();
    t.after(drop);
    const files = await filesOfCall(database, { engine });
    assert.ok(files.length <= mostFiles[engine], `${files.length} files:\n${files.join('\n')}`);
  });
}
