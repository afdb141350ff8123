import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { root } from '#test/source-tree.ts';

const comments = /\/\*[\s\S]*?\*\/|^ *\/\/.*$/gm;

// The formatter takes double quotes for a text with an apostrophe in it: there are none in a file whose texts have neither.
const straight = /"|\\'|[a-z]'[a-z]/;

test('texts of the web app have curly quotes and apostrophes only', () => {
  const files = globSync('web/src/**/*texts.ts', { cwd: root });
  assert.ok(files.length > 20, `${files.length} files with texts`);
  const lines = files.flatMap((file) =>
    readFileSync(join(root, file), 'utf8')
      .replace(comments, '')
      .split('\n')
      .map((line) => `${file}: ${line.trim()}`),
  );
  assert.deepEqual(
    lines.filter((line) => straight.test(line)),
    [],
  );
});
