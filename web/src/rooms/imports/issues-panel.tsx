import { Button } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { useLanguage } from '../../i18n/language.tsx';
import { AsyncBoundary } from '../../ui/async-boundary.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { IconDownload } from '../../ui/icons.tsx';
import { notifyProblem } from '../../ui/notify.tsx';
import { Panel } from '../../ui/panel.tsx';
import { TableSkeleton } from '../../ui/table-skeleton.tsx';
import { issueTexts, useIssueLocation, useIssueText } from '../examples/index.ts';
import { checkTexts } from './check-texts.ts';
import styles from './imports.module.css';
import { fetchErrorFile, type ImportPath, type IssueCode, importErrorsQuery, type Profile } from './imports-queries.ts';

export function IssuesPanel({ at, profile: { issues } }: { at: ImportPath; profile: Profile }) {
  const t = useTexts(checkTexts);
  const { names } = useTexts(issueTexts);
  const format = useFormat();
  // Stays while the dialog closes.
  const [shown, setShown] = useState<IssueCode>('bad_json');
  const [isOpen, setOpen] = useState(false);
  const open = (code: IssueCode) => {
    setShown(code);
    setOpen(true);
  };
  if (issues.length === 0) return null;
  const isHarmless = issues.every(({ code }) => code.startsWith('duplicate'));
  return (
    <Panel title={isHarmless ? t.noticed : t.issues} text={t.issuesText} aside={<DownloadIssues at={at} />}>
      <ul className={styles.issues}>
        {issues.map(({ code, count, first_line: line }) => (
          <li key={code}>
            <strong>{names[code]}</strong>
            <span>{t.issueCount(format.number(count))}</span>
            <span>{t.firstLine(format.number(line))}</span>
            <Button size="compact-xs" variant="default" aria-label={t.lookAt(names[code])} onClick={() => open(code)}>
              {t.look}
            </Button>
          </li>
        ))}
      </ul>
      <Dialog opened={isOpen} onClose={() => setOpen(false)} title={names[shown]} size="lg">
        <AsyncBoundary skeleton={<TableSkeleton columns={1} />}>
          <Lines at={at} code={shown} />
        </AsyncBoundary>
      </Dialog>
    </Panel>
  );
}

function Lines({ at, code }: { at: ImportPath; code: IssueCode }) {
  const t = useTexts(checkTexts);
  const format = useFormat();
  const textOf = useIssueText();
  const placeOf = useIssueLocation('column');
  const { data } = useSuspenseQuery(importErrorsQuery(at, code));
  return (
    <ul className={styles.rows}>
      {data.data.map((issue) => (
        <li key={`${issue.line} ${issue.pointer}`}>
          <span className={styles.lineNumber}>{t.line(format.number(issue.line))}</span>
          <div className={styles.row}>
            <span>
              {textOf(issue)} {issue.pointer && <span className={styles.lineNumber}>{placeOf(issue.pointer)}</span>}
            </span>
            {issue.hint && <span className={styles.lineNumber}>{issue.hint}</span>}
            <pre>{issue.excerpt}</pre>
          </div>
        </li>
      ))}
    </ul>
  );
}

function DownloadIssues({ at }: { at: ImportPath }) {
  const t = useTexts(checkTexts);
  const { language } = useLanguage();
  const [isBusy, setBusy] = useState(false);
  const download = async () => {
    setBusy(true);
    try {
      saveAs(await fetchErrorFile(at), `${at.import}-issues.jsonl`);
    } catch (error) {
      notifyProblem(error, language);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button
      size="xs"
      variant="default"
      leftSection={<IconDownload size={14} />}
      loading={isBusy}
      onClick={() => void download()}
    >
      {t.downloadIssues}
    </Button>
  );
}

function saveAs(content: Blob, name: string): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // After the download has started.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
