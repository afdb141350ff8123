import { Alert, Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { sharedTexts } from '../../i18n/shared-texts.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { IconAlertTriangle } from '../../ui/icons.tsx';
import { notify } from '../../ui/notify.tsx';
import { ProblemNote } from '../../ui/problem-note.tsx';
import type { DatasetPath } from '../data/index.ts';
import { type Many, type ManyPromoted, manyDryRunQuery, usePromoteMany } from './feedback-changes.ts';
import type { Blocker } from './feedback-queries.ts';
import { feedbackTexts } from './feedback-texts.ts';

type PromoteManyProps = {
  at: DatasetPath;
  many: Many | null;
  testRatio: number;
  onClose: () => void;
  onDone: () => void;
};

/** Previews the promotion of many events, then promotes them. */
export function PromoteMany({ many, ...rest }: PromoteManyProps) {
  const t = useTexts(feedbackTexts);
  const format = useFormat();
  const title = many && 'ids' in many ? t.manyTitle(format.number(many.ids.length)) : t.manyTitleUnknown;
  return (
    <Dialog opened={many !== null} onClose={rest.onClose} title={title}>
      {many && <Trial many={many} {...rest} />}
    </Dialog>
  );
}

function Trial({ at, many, testRatio, onClose, onDone }: PromoteManyProps & { many: Many }) {
  const t = useTexts(feedbackTexts);
  const { cancel } = useTexts(sharedTexts);
  const format = useFormat();
  const trial = useQuery(manyDryRunQuery(at, many, testRatio));
  const [done, setDone] = useState(0);
  const promote = usePromoteMany(at, setDone);
  const run = () => {
    promote.mutate(
      { many, testRatio },
      {
        onSuccess: ({ promoted, leaked, stopped }) => {
          onDone();
          if (stopped === null) onClose();
          notify({
            tone: stopped === null ? 'good' : 'bad',
            text: [
              stopped === null ? t.manyDone(format.number(promoted)) : t.manyStopped(stopped),
              ...(leaked > 0 ? [t.leaked(format.number(leaked))] : []),
            ].join(' '),
          });
        },
      },
    );
  };
  const count = (trial.data?.promoted ?? 0) + (trial.data?.remaining ?? 0);
  return (
    <Stack gap="md">
      {trial.isPending && (
        <div role="status" aria-label={t.manyCounting}>
          <Skeleton height={14} width="80%" />
        </div>
      )}
      {trial.data && <Outcome outcome={trial.data} />}
      <Text size="sm" c="dimmed">
        {t.manyShare(format.percent(testRatio))}
      </Text>
      {promote.isPending && done > 0 && (
        <Text size="sm" aria-live="polite">
          {t.manyProgress(format.number(done))}
        </Text>
      )}
      {(trial.error ?? promote.error) ? <ProblemNote error={trial.error ?? promote.error} /> : null}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose}>
          {cancel}
        </Button>
        <Button
          loading={promote.isPending}
          disabled={count === 0}
          onClick={run}
          data-autofocus={count > 0 || undefined}
        >
          {t.manyAction(format.number(count))}
        </Button>
      </Group>
    </Stack>
  );
}

function Outcome({ outcome }: { outcome: ManyPromoted }) {
  const t = useTexts(feedbackTexts);
  const format = useFormat();
  const { promoted, rejected, remaining, results, leaked_queries: leaked } = outcome;
  const reasons = Map.groupBy(
    results.filter(({ status }) => status === 'rejected'),
    ({ blockers, error }): Blocker | string => blockers[0] ?? error?.message ?? '',
  );
  const texts: Readonly<Record<string, string>> = t.blockers;
  return (
    <div>
      <Text>{t.manyText(format.number(promoted))}</Text>
      {remaining > 0 && (
        <Text size="sm" c="dimmed">
          {t.manyMore(format.number(remaining))}
        </Text>
      )}
      {rejected > 0 && (
        <>
          <Text size="sm" mt="xs">
            {t.manyRejected(format.number(rejected))}
          </Text>
          <ul>
            {[...reasons].map(([reason, events]) => (
              <li key={reason}>
                {format.number(events.length)} × {texts[reason] ?? reason}
              </li>
            ))}
          </ul>
        </>
      )}
      {leaked > 0 && (
        <Alert color="amber" icon={<IconAlertTriangle />} mt="xs">
          {t.leaked(format.number(leaked))}
        </Alert>
      )}
    </div>
  );
}
