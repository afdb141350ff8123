import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { assertAccessible } from './axe.ts';
import { answers, seedChat, seedPlace } from './playground-world.ts';
import { clipboardWith, openStage, pictureFolder, type Stage } from './stage.ts';

let stage: Stage;

before(async () => {
  stage = await openStage();
});

after(async () => {
  await stage?.close();
});

const python =
  'def area(radius: float) -> float:\n    # The constant is exact enough.\n    return 3.14159 * radius ** 2';
const answer = `# Area of a circle

The area is \\(A = \\pi r^2\\), see [the article](https://example.com/circle). It costs $5 and **not** $10.

$$
\\int_0^1 x^2\\,dx = \\frac{1}{3}
$$

\`\`\`python
${python}
\`\`\`

| Radius | Area |
|-------:|-----:|
| 1 | 3.14 |
| 2 | 12.57 |

1. Measure the \`radius\`.
2. Square it.
   - by hand
   - with a calculator

> Round at the end.

- [x] done`;

test('an answer is rendered: headings, tables, code with language and copy, mathematics; and shown as written on request', async (t) => {
  const { owner, path, projectId } = await seedPlace(stage);
  const chatId = await seedChat(stage, { projectId, answer });
  const pictures = await pictureFolder('markdown');
  const permissions = ['clipboard-read', 'clipboard-write'];
  const { page, go, leave } = await stage.open({ ...owner, permissions });
  await go(`${path}?chat=${chatId}`);
  const article = answers(page).first();
  await article.getByRole('heading', { name: 'Area of a circle' }).waitFor();
  assert.deepEqual(await article.getByRole('cell').allTextContents(), ['1', '3.14', '2', '12.57']);
  await article.locator('math[display="block"] mfrac').waitFor();
  assert.equal(await article.locator('math').count(), 2);
  await article.getByText('It costs $5 and not $10.').waitFor();
  const code = article.getByRole('group', { name: 'python' });
  await code.locator('.hljs-keyword').first().waitFor();
  await code.getByRole('button', { name: 'Copy' }).click();
  assert.equal(await clipboardWith(page, /area/), python);
  const link = article.getByRole('link', { name: /^the article/ });
  assert.deepEqual(await Promise.all(['href', 'target', 'rel'].map((name) => link.getAttribute(name))), [
    'https://example.com/circle',
    '_blank',
    'noopener noreferrer',
  ]);
  // The tooltip of the button goes with the pointer.
  await article.getByRole('heading', { name: 'Area of a circle' }).hover();
  await page.getByRole('tooltip').waitFor({ state: 'detached' });
  await assertAccessible(page, 'rendered');
  await page.screenshot({ path: join(pictures, 'light.png'), fullPage: true });

  const raw = article.getByRole('button', { name: 'Raw' });
  await raw.click();
  assert.equal(await article.locator('p').first().textContent(), answer);
  assert.equal(await article.getByRole('table').count(), 0);
  await raw.click();
  await article.getByRole('table').waitFor();
  await leave();

  const phone = await stage.open({
    ...owner,
    viewport: { width: 390, height: 844 },
    colorScheme: 'dark',
    locale: 'en',
  });
  await phone.go(`${path}?chat=${chatId}`);
  await phone.page.locator('math').first().waitFor();
  await phone.page.locator('.hljs-keyword').first().waitFor();
  await assertAccessible(phone.page, 'rendered on a phone');
  await phone.page.screenshot({ path: join(pictures, 'phone-dark.png'), fullPage: true });
  const width = await phone.page.evaluate('document.documentElement.scrollWidth - innerWidth');
  assert.ok(Number(width) <= 0, 'the page is too wide');
  await phone.leave();
  t.diagnostic(`pictures in ${pictures}`);
});

const hostile = `<script>document.title = 'owned'</script> <img src=x onerror="document.title = 'owned'">

![pixel](https://example.com/pixel.png) ![inline](data:image/svg+xml,<svg/onload=alert(1)>)

[script](javascript:document.title='owned') [data](data:text/html,<script>1</script>) [app](/account) <javascript:alert(1)>

$\\href{javascript:document.title='owned'}{x} \\includegraphics{https://example.com/pixel.png}$

\`\`\`html
<script>document.title = 'owned'</script>
\`\`\`

<svg><a xlink:href="javascript:alert(1)">x</a></svg>`;

test('nothing in an answer runs, loads, or leads into the app', async () => {
  const { owner, path, projectId } = await seedPlace(stage);
  const chatId = await seedChat(stage, { projectId, answer: hostile });
  const { page, go, leave } = await stage.open(owner);
  await go(`${path}?chat=${chatId}`);
  const article = answers(page).first();
  await article.getByRole('group', { name: 'html' }).waitFor();
  await article.getByText('script data app').waitFor();
  await article.locator('math').waitFor();
  assert.equal(await article.locator('img, script, iframe, a, form, input').count(), 0);
  assert.equal(await article.locator('[href], [src], [onerror], [onload]').count(), 0);
  assert.notEqual(await page.title(), 'owned');
  // `leave` fails if anything was requested from elsewhere, or refused by the policy.
  await leave();
});
