/** An element or a text of a rendered document. */
export type HastNode = {
  type: string;
  tagName?: string;
  value?: string;
  properties?: Record<string, unknown>;
  children?: HastNode[];
};

export function visit<Node extends { children?: Node[] }>(node: Node, change: (node: Node) => void): void {
  change(node);
  for (const child of node.children ?? []) visit(child, change);
}

type TextNode = { value?: unknown; children?: readonly TextNode[] };

export function textOf(node: TextNode | undefined): string {
  if (node?.value !== undefined) return String(node.value);
  return (node?.children ?? []).map(textOf).join('');
}
