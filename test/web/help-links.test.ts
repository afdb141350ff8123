import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createHeadingAnchors } from '#kernel';
import { root } from '#test/source-tree.ts';

const links = globSync('web/src/rooms/**/*.{ts,tsx}', { cwd: root }).flatMap((file) =>
  [...readFileSync(join(root, file), 'utf8').matchAll(/\bguide(?:=|: )["']([^"']*)["']/g)].map(([, guide = '']) => ({
    file,
    guide,
  })),
);

/** The anchors of the headings of a guide; null: there is no such guide. */
function anchorsOf(name: string): Set<string> | null {
  const [path] = globSync([`docs/guides/${name}.md`, `docs/${name}.md`], { cwd: root });
  if (path === undefined) return null;
  const anchorOf = createHeadingAnchors();
  const prose = readFileSync(join(root, path), 'utf8').replace(/^```[\s\S]*?^```$/gm, '');
  return new Set([...prose.matchAll(/^##+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading)));
}

test('every link to help leads to a guide, and to a heading in it, that are there', () => {
  const isThere = ({ guide }: { guide: string }) => {
    const [name = '', anchor] = guide.split('#');
    const anchors = /^[a-z-]+$/.test(name) ? anchorsOf(name) : null;
    return anchors !== null && (anchor === undefined || anchors.has(anchor));
  };
  assert.deepEqual(
    links.filter((link) => !isThere(link)),
    [],
  );
});

test('every kind of page that has a guide links to it', () => {
  const rooms = new Set(links.map(({ file }) => file.split('/')[3]));
  const expected = ['account', 'billing', 'data', 'imports', 'keys', 'models', 'operator', 'projects', 'requests'];
  assert.deepEqual(
    expected.filter((room) => !rooms.has(room)),
    [],
  );
});
