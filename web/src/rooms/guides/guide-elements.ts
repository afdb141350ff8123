import { createHeadingAnchors } from '../../api/heading-anchors.ts';
import { type HastNode, textOf, visit } from '../../ui/markdown/tree.ts';

/** Gives the headings of a guide the anchors by which the server finds them. */
export function guideElements() {
  return (tree: HastNode) => {
    const anchorOf = createHeadingAnchors();
    visit(tree, (node) => {
      if (/^h[2-6]$/.test(node.tagName ?? '')) node.properties = { ...node.properties, id: anchorOf(textOf(node)) };
    });
  };
}
