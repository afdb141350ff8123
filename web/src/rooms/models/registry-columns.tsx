import { Link } from '@tanstack/react-router';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import type { Column } from '../../ui/data-table.tsx';
import { KindBadge, kindTexts } from '../../ui/kind.tsx';
import { CallModel } from './call-model.tsx';
import styles from './models.module.css';
import type { CallableModel } from './models-queries.ts';
import { registryTexts } from './registry-texts.ts';

export function useRegistryColumns(): Column<CallableModel>[] {
  const t = useTexts(registryTexts);
  const { kind: kindTitle } = useTexts(kindTexts);
  const format = useFormat();
  return [
    {
      key: 'name',
      label: t.name,
      isName: true,
      render: ({ ref, name, source }) => (
        <>
          <span className={styles.ref}>{ref}</span>
          <span className={styles.quiet}>{name === ref ? t.sources[source] : `${name} · ${t.sources[source]}`}</span>
        </>
      ),
    },
    { key: 'project', label: t.project, render: (model) => <Project model={model} /> },
    {
      key: 'kind',
      label: kindTitle,
      render: ({ kind }) => <KindBadge kind={kind} />,
    },
    {
      key: 'size',
      label: t.size,
      isSpare: true,
      align: 'end',
      render: ({ dimensions, max_context_tokens }) => {
        if (max_context_tokens !== null) return t.context(format.number(max_context_tokens));
        return dimensions === null ? '–' : t.dimensions(format.number(dimensions));
      },
    },
    {
      key: 'rate',
      label: t.rate,
      align: 'end',
      render: ({ rate }) => t.perMinute(format.credits(rate.credits_per_gpu_minute)),
    },
    {
      key: 'call',
      label: t.callable,
      align: 'end',
      render: (model) => <CallModel model={model} />,
    },
  ];
}

function Project({ model: { project, access } }: { model: CallableModel }) {
  const t = useTexts(registryTexts);
  if (!project) return <span className={styles.quiet}>{t.everyProject}</span>;
  const { owner, slug } = project;
  const page = access === 'owned' ? '/projects/$owner/$project/hosted-models' : '/projects/$owner/$project';
  return (
    <Link className={styles.place} to={page} params={{ owner, project: slug }}>
      {owner}/{slug}
    </Link>
  );
}
