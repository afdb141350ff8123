import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { root } from '#test/source-tree.ts';

const library = join(root, 'node_modules/@mantine/core/styles');

/** Components that a file of the web app names in its import from the library. */
function componentsIn(text: string): string[] {
  const [, names = ''] = /import \{([^}]*)\} from '@mantine\/core'/.exec(text) ?? [];
  return names.split(',').map((name) => name.trim());
}

test('every component of the library that the web app uses has its styles in the style sheet', () => {
  const sheet = readFileSync(join(root, 'web/src/ui/mantine.css'), 'utf8');
  const used = new Set(
    globSync('web/src/**/*.tsx', { cwd: root }).flatMap((file) => componentsIn(readFileSync(join(root, file), 'utf8'))),
  );
  const styled = [...used].filter((name) => name !== '' && existsSync(join(library, `${name}.layer.css`)));
  assert.ok(styled.length > 10);
  const missing = styled.filter((name) => !sheet.includes(`/styles/${name}.layer.css`));
  assert.deepEqual(missing, []);
});
