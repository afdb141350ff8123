import rehypeKatex from 'rehype-katex';
import type { PluggableList } from 'unified';

/** As MathML, which needs no styles. Untrusted: no links, images or attributes from the text. */
export const mathPlugins: PluggableList = [
  [
    rehypeKatex,
    { output: 'mathml', trust: false, strict: 'ignore', errorColor: 'inherit', maxSize: 20, maxExpand: 500 },
  ],
];
