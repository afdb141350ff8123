/** The server finds headings by the anchors that pages give them. */
export { createHeadingAnchors } from '../../../src/kernel/heading-anchors.ts';
