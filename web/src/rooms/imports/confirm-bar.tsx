import { Button, Group } from '@mantine/core';
import { useRef } from 'react';
import { useIdempotencyKey } from '../../api/use-idempotency-key.ts';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { ProblemNote } from '../../ui/problem-note.tsx';
import { CancelImport } from './cancel-import.tsx';
import styles from './imports.module.css';
import { type ImportPath, type Options, type Preview, useConfirmImport } from './imports-queries.ts';
import { importsTexts } from './imports-texts.ts';

type ConfirmBarProps = {
  at: ImportPath;
  options: Options;
  preview: Preview | undefined;
  /** The mapping is complete enough for a preview. */
  isRequested: boolean;
  /** The preview belongs to the current choice. */
  isCurrent: boolean;
  onChange: (options: Options) => void;
};

/** What the import will do, and the button that starts it. Always visible. */
export function ConfirmBar({ at, options, preview, isRequested, isCurrent, onChange }: ConfirmBarProps) {
  const t = useTexts(importsTexts);
  const format = useFormat();
  const confirm = useConfirmImport(at);
  const idempotencyKeyOf = useIdempotencyKey();
  const count = preview?.will_import ?? 0;
  const box = useRef<HTMLDivElement>(null);
  const leaveOut = () => {
    onChange({ ...options, on_invalid: 'skip' });
    // The button that was pressed disappears.
    box.current?.focus();
  };
  const run = () => {
    if (!preview) return;
    const token = preview.preview_token;
    confirm.mutate({ token, idempotencyKey: idempotencyKeyOf({ token }) });
  };
  return (
    <>
      {confirm.error ? <ProblemNote error={confirm.error} /> : null}
      <div className={styles.foot}>
        <div ref={box} tabIndex={-1} aria-live="polite" className={styles.consequences}>
          {preview ? (
            <Consequences preview={preview} options={options} leaveOut={leaveOut} />
          ) : (
            !isRequested && t.mapFirst
          )}
        </div>
        <Group gap="xs">
          <CancelImport at={at} />
          <Button loading={confirm.isPending} disabled={!isCurrent || count === 0} onClick={run}>
            {count > 0 ? t.confirm(format.number(count)) : t.confirmNone}
          </Button>
        </Group>
      </div>
    </>
  );
}

type ConsequencesProps = Pick<ConfirmBarProps, 'options'> & { preview: Preview; leaveOut: () => void };

function Consequences({ preview, options, leaveOut }: ConsequencesProps) {
  const t = useTexts(importsTexts);
  const format = useFormat();
  const { will_import: added, will_skip: skipped, counts } = preview;
  const isRefused = options.on_invalid === 'reject' && counts.invalid > 0;
  return (
    <>
      {added > 0 ? t.willImport(format.number(added)) : t.nothingToImport}
      {isRefused ? (
        <>
          <small>{t.rejectedHint(format.number(counts.invalid))}</small>
          <Button size="compact-xs" variant="light" onClick={leaveOut}>
            {t.leaveOut(format.number(counts.invalid))}
          </Button>
        </>
      ) : (
        skipped > 0 && <small>{t.willSkip(format.number(skipped))}</small>
      )}
    </>
  );
}
