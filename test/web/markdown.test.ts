import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import fc from 'fast-check';
import { markdownBlocks } from '../../web/src/ui/markdown/markdown-blocks.ts';
import { markdownOptions, mathElements, textElements } from '../../web/src/ui/markdown/markdown-options.ts';
import { hasMath, withMathDelimiters } from '../../web/src/ui/markdown/math-delimiters.ts';
import { mathPlugins } from '../../web/src/ui/markdown/math-plugins.ts';

// Not imported: their types would declare elements of a browser for all tests.
const require = createRequire(import.meta.url);
const { createElement }: { createElement: (type: unknown, props: object, text: string) => unknown } = require('react');
const { renderToStaticMarkup }: { renderToStaticMarkup: (element: unknown) => string } = require('react-dom/server');
const { default: ReactMarkdown }: { default: unknown } = require('react-markdown');

const options = markdownOptions(mathPlugins);
const rendered = (markdown: string) => renderToStaticMarkup(createElement(ReactMarkdown, options, markdown));
const html = (text: string) => rendered(withMathDelimiters(text));

const elements = new Set([...textElements, ...mathElements]);
const attributes =
  /^(class|style|href|target|rel|start|xmlns|display|encoding|title|(math)?(variant|color|background|size)|stretchy|fence|separator|accent|accentunder|lspace|rspace|minsize|maxsize|width|height|depth|voffset|linethickness|scriptlevel|displaystyle|columnalign|columnspacing|columnlines|rowspacing|rowlines|frame|framespacing|notation|movablelimits|symmetric|form|linebreak|align|side|largeop|bevelled|rowalign|position)$/;

/** Everything that is an element or an attribute, as text has neither `<` nor `"` in markup. */
function violations(markup: string): string[] {
  return [...markup.matchAll(/<([a-z0-9-]+)((?:\s[^>]*?)?)\/?>/gi)].flatMap(([, name = '', rest = '']) => [
    ...(elements.has(name) ? [] : [`<${name}>`]),
    ...[...rest.matchAll(/([\w:-]+)="([^"]*)"/g)].flatMap(([, attribute = '', value = '']) => [
      ...(attributes.test(attribute) ? [] : [`<${name} ${attribute}="${value}">`]),
      ...(attribute !== 'href' || /^(https?:\/\/|mailto:)/i.test(value) ? [] : [`href ${value}`]),
      ...(attribute !== 'style' || !/url|expression|position/i.test(value) ? [] : [`style ${value}`]),
    ]),
  ]);
}

const hostile = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<svg><a xlink:href="javascript:alert(1)">x</a></svg>',
  '<iframe srcdoc="<script>alert(1)</script>">',
  '<a href="javascript:alert(1)">x</a>',
  '![x](https://example.com/pixel.png)',
  '![x](data:image/svg+xml;base64,PHN2Zz4=)',
  '[x](javascript:alert(1))',
  '[x](JaVaScRiPt&colon;alert(1))',
  '[x](java\tscript:alert(1))',
  '[x](data:text/html,<script>alert(1)</script>)',
  '[x](vbscript:x)',
  '[x](//example.com)',
  '[x](/account)',
  '[x][y]\n\n[y]: javascript:alert(1)',
  '<javascript:alert(1)>',
  '[^1]\n\n[^1]: note',
  '$\\href{javascript:alert(1)}{x}$',
  '$$\\url{javascript:alert(1)}$$',
  '$\\includegraphics{https://example.com/pixel.png}$',
  '$\\htmlClass{x}{y}$',
  '$\\htmlStyle{position:fixed}{y}$',
  '$\\htmlId{root}{y}$',
  '$\\def\\a{\\a\\a}\\a$',
  '$\\rule{1000em}{1000em}$',
  '- [x] <b>done</b>',
  '```js" onmouseover="alert(1)\ncode\n```',
  '```html\n<script>alert(1)</script>\n```',
];

test('what would run, load or lead into the app is shown as text or left out', () => {
  for (const text of hostile) {
    const markup = html(text);
    assert.deepEqual(violations(markup), [], text);
    assert.doesNotMatch(markup, /<(img|script|svg|iframe|input)/i, text);
  }
});

test('any text renders without an element or an attribute outside the list', () => {
  const pieces = fc.oneof(
    fc.constantFrom(...hostile),
    fc.string(),
    fc.constantFrom(
      '\n',
      '\n\n',
      '> ',
      '- ',
      '1. ',
      '# ',
      '| a | b |\n|--|--|\n| ',
      '```',
      '$',
      '$$',
      '\\[',
      '\\)',
      '[',
      '](',
      ')',
      '<',
      '>',
      '"',
      '&lt;',
      '\\frac{1}{2}',
      '\\color{red}',
      '\\begin{matrix}a&b\\\\c\\end{matrix}',
    ),
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
      const text = parts.join('');
      assert.deepEqual(violations(html(text)), [], text);
    }),
    { numRuns: 300 },
  );
});

test('tables, lists, code, links, headings and tasks become what they stand for', () => {
  assert.match(html('| a | b |\n|---|--:|\n| 1 | 2 |'), /<table>.*<td style="text-align:right">2<\/td>/s);
  assert.match(html('1. one\n2. two'), /<ol>\s*<li>one/);
  assert.match(html('```python\nprint(1)\n```'), /<code class="language-python">print/);
  assert.match(
    html('[x](https://example.com)'),
    /<a href="https:\/\/example.com" target="_blank" rel="noopener noreferrer">x/,
  );
  assert.match(html('# Title'), /<h2>Title<\/h2>/);
  assert.match(html('- [x] done\n- [ ] open'), /☑ done.*☐ open/s);
});

test('mathematics is read in all the ways in which models write it, and money and code are not', () => {
  for (const text of ['$x^2$', '\\(x^2\\)', 'so $x^2$, then']) assert.match(html(text), /<math[^>]*><semantics>/, text);
  for (const text of ['$$x^2$$', '\\[x^2\\]', '$$\nx^2\n$$', 'so \\[\nx^2\n\\] then', '```math\nx^2\n```'])
    assert.match(html(text), /<math[^>]*display="block"/, text);
  for (const text of [
    'It costs $5 and $10.',
    '5$ or 6$',
    'US$5 and US$6',
    '`$x$`',
    '```sh\necho $HOME $PATH\n```',
    '\\$x\\$',
  ])
    assert.doesNotMatch(html(text), /<math/, text);
  assert.equal(html('It costs $5 and $10.'), '<p>It costs $5 and $10.</p>');
  assert.equal(hasMath('It is plain.'), false);
});

const paragraphs = [
  'A line.',
  '# Title',
  '- one\n- two',
  '- one\n\n- two',
  '1. one\n\n   more',
  '> quote\n> more',
  '| a |\n|---|\n| 1 |',
  '```js\na\n\nb\n```',
  '~~~\n```\n\n~~~',
  '$$\nx\n\n$$',
  '    indented',
  '---',
  '- a\n  ```\n  b\n\n  c\n  ```',
  '**bold**\nline',
  '```\nopen\n\nend',
];

test('parts of an answer render together as the whole does, and only the last two parts of a growing text change', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...paragraphs), { maxLength: 8 }), (parts) => {
      const text = parts.join('\n\n');
      const blocks = markdownBlocks(text);
      assert.equal(blocks.join('\n'), text);
      const squeezed = (markup: string) => markup.replaceAll(/\n+/g, '\n').trim();
      assert.equal(squeezed(blocks.map(rendered).join('\n')), squeezed(rendered(text)), text);
      for (let end = 0; end < text.length; end += 7) {
        const earlier = markdownBlocks(text.slice(0, end)).slice(0, -2);
        assert.deepEqual(blocks.slice(0, earlier.length), earlier, text.slice(0, end));
      }
    }),
  );
});
