import { chromium, type Page } from 'playwright-core';
import { findBrowser } from '../scripts/browser.mjs';
import { startSignedIn } from './signed-in.ts';
import type { Row } from './table.ts';

const count = 10_000;
const batch = 100;
/** Of the list, in px: a quick turn of the wheel. */
const stepPx = 120;
const steps = 400;

/** A list of 10,000 examples in Chromium: how long its frames take while somebody scrolls through it without a pause. */
export async function benchScrolling(): Promise<Row[]> {
  const program = await startSignedIn();
  const { path, args, env } = await findBrowser();
  const browser = await chromium.launch({ executablePath: path, args, env: { ...process.env, ...env } });
  try {
    const native = `/api/v1/projects/${program.project}`;
    const { id } = await program.post(`${native}/datasets`, { name: 'Ten thousand' });
    for (let from = 0; from < count; from += batch)
      await program.post(`${native}/datasets/${id}/examples`, { examples: examplesFrom(from) });
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    const [name = '', value = ''] = program.cookie.split('=');
    await context.addCookies([{ name, value, url: program.url, httpOnly: true, sameSite: 'Lax' }]);
    const page = await context.newPage();
    await page.goto(`${program.url}/projects/${program.project}/data/${id}`);
    await page.locator('[data-index="0"]').waitFor();
    await loadAll(page);
    const { frames, rows } = await scroll(page);
    const sorted = frames.toSorted((one, other) => one - other);
    const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
    const figures = `${frames.length} frames over ${rows} rows; half ${at(0.5).toFixed(1)} ms, longest ${at(1).toFixed(1)} ms`;
    return [
      {
        name: `scrolling ${count} examples: 95 of 100 frames, ms`,
        ratio: at(0.95),
        goal: 34,
        sense: 'at most',
        figures,
      },
    ];
  } finally {
    await browser.close();
    await program.stop();
  }
}

const examplesFrom = (from: number) =>
  Array.from({ length: batch }, (_, n) => ({
    text: {
      messages: [
        { role: 'user', content: `What is said in ticket ${from + n}?` },
        { role: 'assistant', content: `Ticket ${from + n} is about ${'folds and '.repeat(1 + ((from + n) % 7))}fans.` },
      ],
    },
  }));

/** To the end and on, until every row is in the page's hands; then back to the top. */
async function loadAll(page: Page): Promise<void> {
  const last = page.locator(`[data-index="${count - 1}"]`);
  while ((await last.count()) === 0) {
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
    await page.waitForTimeout(50);
  }
  await page.evaluate('scrollTo(0, 0)');
  await page.locator('[data-index="0"]').waitFor();
}

/** Frames as the page shows them, and the last row that was reached. */
function scroll(page: Page): Promise<{ frames: number[]; rows: number }> {
  return page.evaluate(`new Promise((resolve) => {
    const frames = [];
    let [last, left] = [performance.now(), ${steps}];
    const next = (now) => {
      frames.push(now - last);
      last = now;
      left -= 1;
      scrollBy(0, ${stepPx});
      if (left > 0) return requestAnimationFrame(next);
      const rows = [...document.querySelectorAll('[data-index]')].map((row) => Number(row.dataset.index));
      resolve({ frames: frames.slice(1), rows: Math.max(...rows) + 1 });
    };
    requestAnimationFrame(next);
  })`);
}
