import assert from 'node:assert/strict';
import { test } from 'node:test';
import { byRecentUse, type RecentProject, withoutProject, withProject } from '../../web/src/api/recent-projects.ts';

const project = (slug: string, name = slug): RecentProject => ({ owner: 'ada', slug, name, isOwner: true });
const slugs = (projects: readonly RecentProject[]) => projects.map(({ slug }) => slug);

test('the project that was used last comes first, once, by its newest name', () => {
  const recent = withProject(withProject(withProject([], project('a')), project('b')), project('a', 'New name'));
  assert.deepEqual(slugs(recent), ['a', 'b']);
  assert.equal(recent[0]?.name, 'New name');
  assert.deepEqual(slugs(withoutProject(recent, project('a'))), ['b']);
});

test('no more than a few projects are stored', () => {
  let recent: readonly RecentProject[] = [];
  for (let at = 0; at < 40; at++) recent = withProject(recent, project(`p${at}`));
  assert.equal(recent.length, 12);
  assert.equal(recent[0]?.slug, 'p39');
});

test('projects are listed by their last use, and the others in the order of the server', () => {
  const listed = ['new', 'b', 'old', 'a'].map((slug) => project(slug));
  assert.deepEqual(slugs(byRecentUse(listed, [project('a'), project('gone'), project('b')])), ['a', 'b', 'new', 'old']);
  const others = [{ ...project('a'), owner: 'bob' }, project('a')];
  assert.deepEqual(
    byRecentUse(others, [project('a')]).map(({ owner }) => owner),
    ['ada', 'bob'],
  );
});
