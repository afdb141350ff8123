import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { createHeadingAnchors } from '#kernel';
import { root } from '#test/source-tree.ts';

const pages = ['README.md', 'AGENTS.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', 'models/README.md'];

/** A page without its blocks of code. */
const proseOf = (page: string) => readFileSync(path.join(root, page), 'utf8').replace(/^```[\s\S]*?^```$/gm, '');

const anchorsIn = (page: string) => {
  const anchorOf = createHeadingAnchors();
  return new Set([...proseOf(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading.trim())));
};

function problemOf(page: string, link: string): string | null {
  const [file = '', anchor] = link.split('#');
  const target = file === '' ? page : path.join(path.dirname(page), file);
  if (!existsSync(path.join(root, target))) return `${page}: there is no ${link}`;
  return anchor === undefined || anchorsIn(target).has(anchor) ? null : `${page}: ${target} has no heading #${anchor}`;
}

test('every link between the documents leads to a file and a heading that are there, and the readme to every guide', async () => {
  const files = await readdir(path.join(root, 'docs'), { recursive: true });
  const documents = [...pages, ...files.filter((file) => file.endsWith('.md')).map((file) => path.join('docs', file))];
  const problems: string[] = [];
  let count = 0;
  for (const page of documents)
    for (const [, link = ''] of proseOf(page).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(link)) continue;
      count += 1;
      problems.push(problemOf(page, link) ?? '');
    }
  assert.deepEqual(problems.filter(Boolean), []);
  assert.ok(count > 100, `only ${count} links were found`);
  const readme = proseOf('README.md');
  const guides = documents.filter((page) => path.dirname(page) === path.join('docs', 'guides'));
  assert.deepEqual(
    guides.filter((guide) => !readme.includes(`(${guide})`)),
    [],
  );
});

test('every source file that a page for developers names is there', () => {
  const sources = globSync('{src,test,scripts,trainer,bench,web/src}/**/*.{ts,tsx,mjs,py,sh}', { cwd: root });
  const developerPages = [
    'AGENTS.md',
    'CONTRIBUTING.md',
    'docs/architecture.md',
    ...globSync('docs/adr/*.md', { cwd: root }),
  ];
  const missing = developerPages.flatMap((page) =>
    [...proseOf(page).matchAll(/`([\w./-]+\.(?:tsx?|mjs|py|sh))`/g)]
      .map(([, name = '']) => name)
      .filter((name) => !sources.some((source) => source === name || source.endsWith(`/${name}`)))
      .map((name) => `${page}: there is no ${name}`),
  );
  assert.deepEqual(missing, []);
});
