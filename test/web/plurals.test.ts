import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { root } from '#test/source-tree.ts';

// Texts need no component, and Node reads none.
registerHooks({
  load: (url, context, next) =>
    url.endsWith('.tsx')
      ? { format: 'module', source: 'export const useLanguage = () => ({});', shortCircuit: true }
      : next(url, context),
});

/** As in "1 rows", but not in "1 is", and not in "0 of 1": a number that ends with a one is another number. */
const wrong = /(?<![\d.,]|of )\b1 (?!is\b|was\b|has\b|stays\b|becomes\b)[a-z]+s\b/;

test('where there is one of something, no English text of the web app speaks of many', async () => {
  const files = globSync('web/src/**/*texts.ts', { cwd: root });
  assert.ok(files.length > 20, `${files.length} files with texts`);
  const modules = await Promise.all(files.map((file) => import(join(root, file))));
  const said = modules.flatMap((each) => Object.values(each)).flatMap((each) => onesIn(each));
  assert.ok(said.length > 100, `${said.length} texts with values`);
  assert.deepEqual(
    said.filter((text) => wrong.test(text)),
    [],
  );
});

/** What the texts with values in them say when each is one: a number, or that as it is written. */
function onesIn(catalogue: unknown): string[] {
  const walk = (texts: unknown): string[] => {
    if (typeof texts === 'function')
      return [saidOfOne((one) => String(Reflect.apply(texts, null, Array(texts.length).fill(one))))];
    return typeof texts === 'object' && texts !== null ? Object.values(texts).flatMap(walk) : [];
  };
  return typeof catalogue === 'object' && catalogue !== null && 'en' in catalogue ? walk(catalogue.en) : [];
}

function saidOfOne(say: (one: unknown) => string): string {
  // What takes the number, too, to decide by it, is right with that.
  const written = say('1');
  return wrong.test(written) ? say(1) : written;
}
