import { checkExample } from '../../content/check-example.ts';
import type { ExampleContent, ExampleKind } from '../../content/example-content.ts';
import { type Issue, isFatal } from '../../content/issues.ts';
import { applyMapping } from '../mapping/apply-mapping.ts';
import type { Mapping } from '../mapping/mapping.ts';
import type { SourceRow } from '../reading/source-row.ts';

/** A row of the file under a mapping. Pointers of issues are into the source. */
export type ValidatedRow = {
  row: SourceRow;
  issues: Issue[];
  example: RowExample | null;
};

export type RowExample = {
  content: ExampleContent;
  json: string;
  /** As the row states it; null: it is assigned by the seed. */
  split: 'train' | 'test' | null;
};

/** Used by the profile, by previews and by the import, so that they agree. */
export function validateRow(row: SourceRow, kind: ExampleKind, mapping: Mapping | null): ValidatedRow {
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
