import type { CallLayout, LayoutPart } from './derive-layout.ts';

export const textOf = (part: LayoutPart | undefined): string => (typeof part === 'string' ? part : '');

/** The markers in front of all calls, and of one: '' where there is none. */
export function openingsOf({ open, head, json }: CallLayout): { section: string; call: string } {
  if (json?.list === true) return { section: open.slice(0, open.lastIndexOf('[')).trim(), call: '' };
  const first = textOf(head[0]);
  const before = json === null ? first : first.slice(0, first.indexOf('{'));
  // What follows in a new line is read apart: models write that line break or not.
  return { section: open.trim(), call: before.trim().replace(/\s+[<{[][\s\S]*$/, '') };
}
