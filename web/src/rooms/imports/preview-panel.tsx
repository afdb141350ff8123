import { Badge } from '@mantine/core';
import { useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { Panel } from '../../ui/panel.tsx';
import { TableSkeleton } from '../../ui/table-skeleton.tsx';
import {
  type EmbeddingContent,
  ExampleSummary,
  ExampleView,
  examplesTexts,
  IssueList,
  type TextContent,
} from '../examples/index.ts';
import { checkTexts } from './check-texts.ts';
import styles from './imports.module.css';
import type { Preview, PreviewRow } from './imports-queries.ts';

type PreviewPanelProps = { preview: Preview | undefined; isRequested: boolean; isCurrent: boolean };

/** The first rows as examples, with their issues. */
export function PreviewPanel({ preview, isRequested, isCurrent }: PreviewPanelProps) {
  const t = useTexts(checkTexts);
  return (
    <Panel title={t.preview} text={isRequested ? t.previewText : t.previewMissing} flush>
      {isRequested && !preview && <TableSkeleton columns={1} rows={4} />}
      {preview && (
        <ul className={styles.rows} aria-label={t.preview} data-stale={!isCurrent || undefined}>
          {preview.rows.map((row) => (
            <li key={row.line}>
              <Row row={row} />
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

function Row({ row: { line, source, example, issues } }: { row: PreviewRow }) {
  const t = useTexts(checkTexts);
  const texts = useTexts(examplesTexts);
  const format = useFormat();
  const [isWhole, setWhole] = useState(false);
  const count = example ? (contentIn(example).text?.messages.length ?? 0) : 0;
  return (
    <>
      <span className={styles.lineNumber}>{t.line(format.number(line))}</span>
      <div className={styles.row}>
        {example ? <ExampleSummary example={contentIn(example)} /> : <span>{t.noExample}</span>}
        <IssueList issues={issues} />
        {example && (
          <span className={styles.lineNumber}>
            {example.split && (
              <Badge mr="xs" color={example.split === 'test' ? 'ink' : 'gray'}>
                {example.split === 'test' ? texts.splits.test : texts.splits.train}
              </Badge>
            )}
            {example.tokens !== null && texts.tokens(format.number(example.tokens))}
          </span>
        )}
        {example && (
          <details onToggle={({ currentTarget: { open } }) => setWhole(open)}>
            <summary>{count > 2 ? texts.wholeConversation(format.number(count)) : texts.wholeExample}</summary>
            {isWhole && (
              <div className={styles.whole}>
                <ExampleView {...contentIn(example)} />
              </div>
            )}
          </details>
        )}
        <details>
          <summary>{t.source}</summary>
          <pre>{typeof source === 'string' ? source : JSON.stringify(source, null, 2)}</pre>
        </details>
      </div>
    </>
  );
}

/** The contract leaves the content open; it is that of an example. */
function contentIn({ text, embedding }: NonNullable<PreviewRow['example']>) {
  return { text: text as TextContent | null, embedding: embedding as EmbeddingContent | null };
}
