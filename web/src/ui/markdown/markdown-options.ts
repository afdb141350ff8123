import remarkGfm from 'remark-gfm';
import remarkMath from 'remark-math';
import type { PluggableList } from 'unified';
import { safeUrl } from './safe-url.ts';
import { type HastNode, visit } from './tree.ts';

/** Nothing else of an answer becomes an element. Images are not among them: they would tell strangers who reads. */
export const textElements = [
  ...['p', 'h2', 'h3', 'h4', 'h5', 'h6', 'blockquote', 'hr', 'br', 'ul', 'ol', 'li', 'section'],
  ...['strong', 'em', 'del', 'sup', 'a', 'span', 'code', 'pre'],
  ...['table', 'thead', 'tbody', 'tr', 'th', 'td'],
];

/** MathML as KaTeX writes it. */
export const mathElements = [
  ...['math', 'semantics', 'annotation', 'mrow', 'mi', 'mn', 'mo', 'ms', 'mtext', 'mspace', 'mstyle', 'merror'],
  ...['mfrac', 'msqrt', 'mroot', 'msub', 'msup', 'msubsup', 'munder', 'mover', 'munderover', 'mmultiscripts'],
  ...['mprescripts', 'none', 'mpadded', 'mphantom', 'menclose', 'mtable', 'mtr', 'mtd', 'mlabeledtr', 'mglyph'],
];

type MdastNode = {
  type: string;
  data?: { hProperties?: Record<string, unknown> };
  position?: { start: { offset?: number } };
  children?: MdastNode[];
};

/** `$$…$$` within a line is a formula on a line of its own. */
function displayMath() {
  return (tree: MdastNode, file: { toString(): string }) => {
    const source = file.toString();
    visit(tree, (node) => {
      const start = node.position?.start.offset ?? 0;
      if (node.type !== 'inlineMath' || !source.startsWith('$$', start)) return;
      node.data = { ...node.data, hProperties: { className: ['language-math', 'math-display'] } };
    });
  };
}

/** Headings below those of the page, checkboxes as signs, no ids, and links that are safe or none. */
function pageElements() {
  return (tree: HastNode) =>
    visit(tree, (node) => {
      if (node.type !== 'element') return;
      const { tagName = '', properties = {} } = node;
      node.properties = Object.fromEntries(
        Object.entries(properties).filter(([name]) => /^(href|className|align|start|checked)$/.test(name)),
      );
      const [, level] = /^h([1-6])$/.exec(tagName) ?? [];
      if (level !== undefined) node.tagName = `h${Math.min(6, Number(level) + 1)}`;
      if (tagName === 'input') Object.assign(node, textNode(properties['checked'] === true ? '☑' : '☐'));
      if (tagName !== 'a') return;
      const href = safeUrl(String(properties['href'] ?? ''));
      node.properties = href === null ? {} : { href, target: '_blank', rel: ['noopener', 'noreferrer'] };
      if (href === null) node.tagName = 'span';
    });
}

const textNode = (value: string): HastNode => ({ type: 'text', value, children: [] });

/** How an answer of a model is rendered. `plugins` are for mathematics, where there is any, and for code. */
export function markdownOptions(plugins: PluggableList) {
  return {
    remarkPlugins: [remarkGfm, remarkMath, displayMath],
    rehypePlugins: [pageElements, ...plugins],
    allowedElements: [...textElements, ...mathElements],
    unwrapDisallowed: true,
    urlTransform: safeUrl,
  };
}
