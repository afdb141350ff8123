import { hash } from 'node:crypto';
import { checkEmbeddingContent } from './embedding-content.ts';
import type { ExampleContent, ExampleKind } from './example-content.ts';
import { type Issue, IssueList, isFatal } from './issues.ts';
import { checkTextContent } from './text-content.ts';

export type Checked =
  | {
      content: ExampleContent;
      json: string;
      issues: Issue[];
    }
  | { content: null; json: null; issues: Issue[] };

/** Longest example as canonical JSON, bytes: far above what any context takes, far below what hurts. */
const maxBytes = 1_000_000;

/**
 * Reads an example of whatever origin. Fields that it does not know are dropped, and what has only one meaning is put
 * right (a tool without `type`, text parts, a passage that is a plain string). `content` is null when an issue is fatal.
 */
export function checkExample(raw: unknown, kind: ExampleKind): Checked {
  const list = new IssueList();
  const content = kind === 'text' ? checkTextContent(raw, list) : checkEmbeddingContent(raw, list);
  // The checks build their objects with sorted keys, so this is canonical.
  const json = JSON.stringify(content);
  if (content && mayBeTooLong(json) && Buffer.byteLength(json) > maxBytes)
    list.add('too_large', '', `The example is larger than ${maxBytes} bytes.`);
  const { issues } = list;
  return content === null || issues.some(isFatal) ? { content: null, json: null, issues } : { content, json, issues };
}

/** A character takes at most three bytes for each of its units: most examples need not be gone through. */
const mayBeTooLong = (json: string) => json.length * 3 > maxBytes;

/** SHA-256 of the canonical JSON; two examples with the same hash are duplicates. */
export function contentHash(json: string): Buffer {
  // As a buffer it would come in memory of its own, which takes as long as hashing itself.
  return Buffer.from(hash('sha256', json, 'binary'), 'binary');
}
