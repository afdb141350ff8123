import { useTexts } from '../../i18n/catalogue.ts';
import styles from './issue-list.module.css';
import { issueTexts } from './issue-texts.ts';
import { parsePointer } from './parse-pointer.ts';

type IssueLike = { code: string; pointer: string; message: string; hint: string | null };

/** The issues of an example or row. In English the server's message is shown, which is more specific. */
export function IssueList({ issues }: { issues: readonly IssueLike[] }) {
  const textOf = useIssueText();
  const placeOf = useIssueLocation('field');
  if (issues.length === 0) return null;
  return (
    <ul className={styles.issues}>
      {issues.map((issue) => (
        <li key={`${issue.code} ${issue.pointer}`} data-harmless={issue.code.startsWith('duplicate') || undefined}>
          {textOf(issue)}
          {issue.pointer && <span>{placeOf(issue.pointer)}</span>}
          {issue.hint && <small>{issue.hint}</small>}
        </li>
      ))}
    </ul>
  );
}

export function useIssueText(): (issue: Pick<IssueLike, 'code' | 'message'>) => string {
  const names = useTexts(issueTexts);
  return ({ code, message }) => {
    const texts: Readonly<Record<string, string>> = names.long;
    return texts[code] ?? message;
  };
}

/** The location of an issue in words instead of a JSON pointer. */
export function useIssueLocation(kind: 'column' | 'field'): (pointer: string) => string {
  const t = useTexts(issueTexts);
  return (pointer) => {
    const location = parsePointer(pointer);
    if (location === null) return '';
    const inside = location.inside.map((each) => (typeof each === 'number' ? t.entry(each) : t.part(each)));
    return [t[kind](location.name), ...inside].join('');
  };
}
