import { fault, isFields } from '#kernel';
import type { ExampleKind } from '../content/example-content.ts';
import type { NewExample, PreparedExample, Split, StorableExample } from './new-examples.ts';

type Sent = Record<string, unknown>;

export function readNewExample(sent: unknown, kind: ExampleKind): NewExample | PreparedExample {
  if (!isFields(sent)) return rejected('wrong_type', '', 'Expected an object.');
  const problem = problemOf(sent, kind);
  if (problem) return problem;
  const { split = 'train' } = sent;
  if (split !== 'train' && split !== 'test') return rejected('wrong_type', '/split', 'Expected train or test.');
  return { content: sent[kind], split, origin: 'manual', originId: null };
}

function problemOf(sent: Sent, kind: ExampleKind): PreparedExample | null {
  const other = kind === 'text' ? 'embedding' : 'text';
  if (sent[other] !== undefined && sent[other] !== null)
    return rejected('wrong_type', `/${other}`, `This dataset has examples of kind ${kind}.`);
  return sent[kind] === undefined || sent[kind] === null
    ? rejected('missing_field', `/${kind}`, `The content belongs into the field ${kind}.`)
    : null;
}

function rejected(code: 'wrong_type' | 'missing_field', pointer: string, message: string): PreparedExample {
  return { example: null, issues: [{ code, pointer, message, hint: null }] };
}

export function readChange(
  sent: { text?: unknown; embedding?: unknown; split?: Split },
  kind: ExampleKind,
): { content: unknown; split: Split | undefined } {
  const other = kind === 'text' ? 'embedding' : 'text';
  if (sent[other] !== undefined && sent[other] !== null)
    throw fault('kind_mismatch', { message: `This dataset has examples of kind ${kind}.`, param: other });
  return { content: sent[kind] ?? undefined, split: sent.split };
}

export function storableOf({ example, issues }: PreparedExample, kind: ExampleKind): StorableExample {
  if (example) return example;
  const [first] = issues;
  throw fault('invalid_request', {
    message: `${kind}${first?.pointer ?? ''}: ${first?.message ?? 'This cannot be learned from.'}`,
    param: kind,
    details: { issues },
  });
}
