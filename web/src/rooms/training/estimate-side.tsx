import { Skeleton } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { IconAlertTriangle } from '../../ui/icons.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ProblemNote } from '../../ui/problem-note.tsx';
import { creditsQuery } from '../billing/index.ts';
import type { ProjectPath } from '../projects/index.ts';
import { newJobTexts } from './new-job-texts.ts';
import { useWarningText } from './server-texts.ts';
import styles from './training.module.css';
import { type Plan, tryOut } from './training-changes.ts';
import type { NewJob } from './training-queries.ts';

/** Debounce time. */
const pauseMs = 400;

type EstimateSideProps = {
  path: ProjectPath;
  /** Null: it cannot be estimated yet. */
  body: NewJob | null;
  isWrong: boolean;
  /** Why it cannot be created. */
  error: unknown;
  children: ReactNode;
};

/** The estimate of a job, requested as the form changes. */
export function EstimateSide({ path, body, isWrong, error, children }: EstimateSideProps) {
  const t = useTexts(newJobTexts);
  const debouncedBody = useDebounced(body);
  const plan = useQuery({
    queryKey: ['training', 'plan', path.owner, path.project, debouncedBody],
    queryFn: ({ signal }) => {
      if (debouncedBody === null) throw new Error('There is nothing to estimate. This is a bug.');
      return tryOut(path, debouncedBody, signal);
    },
    enabled: debouncedBody !== null,
    placeholderData: keepPreviousData,
    staleTime: 5_000,
  });
  // Both requests usually fail for the same reason: it is shown once.
  const refusal = (debouncedBody !== null && plan.error) || error;
  return (
    <Panel title={t.estimate}>
      <div aria-live="polite">
        {debouncedBody === null && <p>{isWrong ? t.wrongFields : t.noEstimate}</p>}
        {debouncedBody !== null && plan.isPending && <Skeleton height={84} aria-label={t.computing} />}
        {debouncedBody !== null && plan.data && <Estimated plan={plan.data} />}
      </div>
      {refusal ? <ProblemNote error={refusal} /> : null}
      {children}
    </Panel>
  );
}

/** A debounced value; the first one counts at once. */
function useDebounced(body: NewJob | null): NewJob | null {
  const text = JSON.stringify(body);
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), pauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  // as: it was written as JSON above.
  return body === null ? null : (JSON.parse(settled) as NewJob | null);
}

function Estimated({ plan: { estimate, warnings } }: { plan: Plan }) {
  const t = useTexts(newJobTexts);
  const format = useFormat();
  const textOf = useWarningText();
  const { data: credits } = useQuery(creditsQuery);
  return (
    <>
      <p className={styles.price}>{t.credits(format.credits(estimate.credits.expected))}</p>
      <p className={styles.quiet}>
        {t.range2(format.credits(estimate.credits.low), format.credits(estimate.credits.high))}
      </p>
      <p className={styles.quiet}>
        {t.time(format.duration(estimate.active_ms.expected))} · {t.bases[estimate.basis]}
      </p>
      {credits && <p className={styles.quiet}>{t.have(format.credits(credits.available))}</p>}
      {warnings.length > 0 && (
        <ul className={styles.warnings} aria-label={t.warnings}>
          {warnings.map(({ code, message }) => (
            <li key={code}>
              <IconAlertTriangle size={16} />
              <span>{textOf({ code, message })}</span>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
