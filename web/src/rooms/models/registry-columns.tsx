import { Button, Stack, Text, Tooltip } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import type { Column } from '../../ui/data-table.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { KindBadge, kindTexts } from '../../ui/kind.tsx';
import { CodeTabs, exampleLanguages, exampleOf } from '../projects/index.ts';
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

/** Shows how to call a model of the registry, or why it cannot be called. */
function CallModel({ model }: { model: CallableModel }) {
  const t = useTexts(registryTexts);
  const [isOpen, setOpen] = useState(false);
  const { ref, kind, call, not_callable_reason: reason } = model;
  if (reason !== null || call.base_url === null)
    return (
      <Tooltip label={t.reasonHints[reason ?? 'no_project']} multiline maw={260} events={tooltipEvents}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what it means is said in its tooltip */}
        <span className={styles.reason} tabIndex={0}>
          {t.reasons[reason ?? 'no_project']}
        </span>
      </Tooltip>
    );
  const facts = { kind, baseUrl: call.base_url, model: ref };
  return (
    <>
      <Button size="compact-sm" variant="default" aria-label={t.callNamed(ref)} onClick={() => setOpen(true)}>
        {t.callIt}
      </Button>
      <Dialog opened={isOpen} onClose={() => setOpen(false)} title={t.callTitle(ref)} size="xl">
        <Stack gap="md">
          <Text size="sm" c="dimmed">
            {t.callText}
          </Text>
          <CodeTabs
            label={t.language}
            tabs={exampleLanguages.map(({ id, name }) => ({ id, name, code: exampleOf(facts, id) }))}
          />
        </Stack>
      </Dialog>
    </>
  );
}

const tooltipEvents = { hover: true, focus: true, touch: true };
