import { Progress } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import type { Column } from '../../ui/data-table.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import type { Project, ProjectPath } from '../projects/index.ts';
import { useHeldOut } from './held-out.ts';
import { JobBadge } from './job-badge.tsx';
import { isOver } from './job-state.ts';
import styles from './training.module.css';
import type { Job } from './training-queries.ts';
import { trainingTexts } from './training-texts.ts';
import { useLoss } from './use-loss.ts';

export function useJobColumns({ owner, project }: ProjectPath, kind: Project['kind']): Column<Job>[] {
  const t = useTexts(trainingTexts);
  const format = useFormat();
  const loss = useLoss();
  const heldOut = useHeldOut(kind);
  return [
    {
      key: 'name',
      label: t.name,
      isName: true,
      render: ({ id, name }) => (
        <Link className={styles.name} to="/projects/$owner/$project/training-jobs/$id" params={{ owner, project, id }}>
          {name}
        </Link>
      ),
    },
    { key: 'base', label: t.base, render: ({ base_model }) => base_model },
    { key: 'state', label: t.state, render: (job) => <State job={job} /> },
    { key: 'quality', label: heldOut.name, align: 'end', render: (job) => loss(heldOut.valueOf(job)) },
    { key: 'cost', label: t.cost, align: 'end', render: ({ credits }) => format.credits(credits) },
    { key: 'created', label: t.created, align: 'end', render: ({ created_at }) => <RelativeTime at={created_at} /> },
  ];
}

function State({ job: { state, progress, name } }: { job: Job }) {
  return (
    <span className={styles.state}>
      <JobBadge state={state} />
      {!isOver(state) && progress.percent !== null && (
        <Progress value={progress.percent} size={4} w={72} aria-label={name} />
      )}
    </span>
  );
}
