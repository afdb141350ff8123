import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { slugFromName } from '../../src/projects/projects.ts';
import { isSlug, slugOf } from '../../web/src/rooms/projects/slug.ts';

test('the slug that the page proposes is the one that the server makes of the name', () => {
  const letters = fc.constantFrom(...'aZ9 -_ßæœøłđðþħŋŧıÄé漢🎏ẞÆİ');
  const names = fc.oneof(fc.string({ unit: letters, maxLength: 70 }), fc.string({ unit: 'grapheme' }));
  fc.assert(
    fc.property(names, (name) => {
      const slug = slugOf(name);
      const made = slugFromName(name, () => 'x');
      assert.ok(made === slug || made === `${slug || 'project'}-x`, `${made}, proposed ${slug}`);
      assert.ok(slug === '' || isSlug(slug));
    }),
  );
  assert.equal(slugOf('Größe der Fächer'), 'grosse-der-facher');
});
