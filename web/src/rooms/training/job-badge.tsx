import { Badge } from '@mantine/core';
import { useTexts } from '../../i18n/catalogue.ts';
import type { JobState } from './job-state.ts';
import { jobStateTexts } from './job-state-texts.ts';

const colors: Record<JobState, string> = {
  queued: 'gray',
  preparing: 'ink',
  running: 'ink',
  interrupted: 'amber',
  saving: 'ink',
  canceling: 'amber',
  succeeded: 'pine',
  failed: 'rust',
  canceled: 'gray',
};

export function JobBadge({ state }: { state: JobState }) {
  const t = useTexts(jobStateTexts);
  return <Badge color={colors[state]}>{t[state]}</Badge>;
}
