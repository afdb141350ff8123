import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plugin } from 'vite';

const placeholder = '/* first paint */';
const files = ['src/ui/tokens.css', 'src/app/boot.css'];
const sheet = /<link rel="stylesheet" crossorigin href="([^"]+)">/;

/**
 * Inlines the colours and the skeleton in `index.html`, so that the page is painted before any file arrives.
 * `src/app/style-sheet.ts` applies the style sheet later.
 */
export function firstPaint(): Plugin[] {
  const root = join(import.meta.dirname, '..');
  return [
    {
      name: 'first-paint-styles',
      transformIndexHtml: {
        order: 'pre',
        handler: async (html) => {
          const styles = await Promise.all(files.map((file) => readFile(join(root, file), 'utf8')));
          return html.replace(placeholder, () => styles.join('\n'));
        },
      },
    },
    {
      name: 'first-paint-sheet',
      transformIndexHtml: {
        order: 'post',
        handler: (html) => html.replace(sheet, '<link rel="preload" as="style" crossorigin href="$1">'),
      },
    },
  ];
}
