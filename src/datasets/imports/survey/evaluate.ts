import { checkExample } from '../../content/check-example.ts';
import type { ExampleContent, ExampleKind } from '../../content/example-content.ts';
import { type Issue, isFatal } from '../../content/issues.ts';
import { applyMapping } from '../mapping/apply-mapping.ts';
import type { Mapping } from '../mapping/mapping.ts';
import type { SourceRow } from '../reading/source-row.ts';

/** What a row of the file becomes under a mapping: an example, or issues. Pointers of issues are into the source. */
export type Evaluated = {
  row: SourceRow;
  issues: Issue[];
  /** Null: it makes no example. */
  example: { content: ExampleContent; json: string; split: 'train' | 'test' | null } | null;
};

/** Used wherever a row is looked at, so that the survey, a preview and the import agree. */
export function evaluate(row: SourceRow, kind: ExampleKind, mapping: Mapping | null): Evaluated {
  if (row.fields === null || row.problem !== null) return { row, issues: [issueOf(row)], example: null };
  if (mapping === null) return { row, issues: [], example: null };
  const { raw, split, issues: ofMapping, sourcePointer } = applyMapping(mapping, row.fields);
  const checked = checkExample(raw, kind);
  const issues = [
    ...ofMapping,
    ...checked.issues.map((issue) => ({ ...issue, pointer: sourcePointer(issue.pointer) })),
  ];
  if (checked.content === null || ofMapping.some(isFatal)) return { row, issues, example: null };
  return { row, issues, example: { content: checked.content, json: checked.json, split } };
}

function issueOf({ problem }: SourceRow): Issue {
  const { code, message, hint = null } = problem ?? { code: 'wrong_type', message: 'The row has no columns.' };
  return { code, pointer: '', message, hint };
}
