import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { root } from '#test/source-tree.ts';

const source = readFileSync(join(root, 'node_modules/axe-core/axe.min.js'), 'utf8');

/** WCAG 2.0 to 2.2, levels A and AA, and what else axe holds to be good. */
const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** Something that fades is hard to read for a moment: waits for what moves and ends. What is out of sight stands still, and never ends. */
const stillness = `Promise.all(document.getAnimations()
  .filter((each) => Number.isFinite(each.effect?.getComputedTiming().endTime))
  .filter((each) => each.effect?.target?.checkVisibility() !== false)
  .map((each) => each.finished.catch(() => {})))`;

/** Fails with one line for each element of the page that somebody could not use. */
export async function assertAccessible(page: Page, name: string): Promise<void> {
  await page.evaluate(stillness);
  // Not as a script of the page, which its policy would rightly refuse.
  await page.evaluate(source);
  // What is right is not told of: its lists take longer to write than all the rules to check.
  const options = { runOnly: tags, resultTypes: ['violations'] };
  const { violations } = await page.evaluate<AxeResults>(`axe.run(document, ${JSON.stringify(options)})`);
  const lines = violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary = '' }) => `${id} ${target.join(' ')}: ${failureSummary.replace(/\s+/g, ' ')}`),
  );
  assert.deepEqual(lines, [], name);
}
