import { Button, Stack, Text } from '@mantine/core';
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { AsyncBoundary } from '../../ui/async-boundary.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ProblemNote } from '../../ui/problem-note.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { TableSkeleton } from '../../ui/table-skeleton.tsx';
import { Tag } from '../../ui/tag.tsx';
import { modelsTexts } from './models-texts.ts';
import { catalogueQuery, hubSearchQuery, usePull, variantsQuery } from './operator-queries.ts';
import { useBytes } from './use-bytes.ts';

const mostSuggested = 6;

/** Search of the hub; without a word, models of the catalogue. */
export function FindModels() {
  const t = useTexts(modelsTexts);
  const [search, setSearch] = useState<string>();
  const [model, setModel] = useState<string | null>(null);
  return (
    <Panel
      title={t.find}
      text={t.findText}
      flush
      aside={<SearchField label={t.search} value={search} onSearch={setSearch} />}
    >
      <AsyncBoundary key={search} skeleton={<TableSkeleton columns={3} />}>
        {search === undefined ? <Catalogue onChoose={setModel} /> : <Found search={search} onChoose={setModel} />}
      </AsyncBoundary>
      <Dialog opened={model !== null} onClose={() => setModel(null)} title={model ?? ''} size="xl" isLossless>
        {model !== null && <Variants model={model} onDone={() => setModel(null)} />}
      </Dialog>
    </Panel>
  );
}

type ListProps = { onChoose: (model: string) => void };
type Row = { model: string; about: string; note: string; isBlocked: boolean };

function Found({ search, onChoose }: ListProps & { search: string }) {
  const t = useTexts(modelsTexts);
  const format = useFormat();
  const { data } = useSuspenseQuery(hubSearchQuery(search));
  const rows = data.data.map(
    ({ repo, downloads, license, updated, gated }): Row => ({
      model: repo,
      about: t.downloads(format.shortNumber(downloads)),
      note: [license ?? t.noLicense, updated, gated ? t.gated : ''].filter(Boolean).join(' · '),
      isBlocked: false,
    }),
  );
  if (rows.length === 0) return <Nothing />;
  return <Choices rows={rows} onChoose={onChoose} />;
}

function Catalogue({ onChoose }: ListProps) {
  const t = useTexts(modelsTexts);
  const format = useFormat();
  const { data } = useSuspenseQuery(catalogueQuery);
  const rows = data.data
    .filter(({ installed }) => !installed)
    // Most people look for a model to talk to.
    .toSorted((a, b) => Number(b.kind === 'text') - Number(a.kind === 'text') || a.parameters - b.parameters)
    .slice(0, mostSuggested)
    .map(
      ({ id, kind, parameters, license }): Row => ({
        model: id,
        about: t.kinds[kind],
        note: [t.parameters(format.shortNumber(parameters)), license ?? t.noLicense].join(' · '),
        isBlocked: false,
      }),
    );
  return <Choices rows={rows} onChoose={onChoose} />;
}

function Nothing() {
  const t = useTexts(modelsTexts);
  return (
    <Text p="lg" size="sm" c="dimmed">
      {t.nothing}
    </Text>
  );
}

function Choices({ rows, onChoose }: ListProps & { rows: readonly Row[] }) {
  const t = useTexts(modelsTexts);
  const columns: Column<Row>[] = [
    { key: 'model', label: t.model, isName: true, render: ({ model }) => model },
    { key: 'about', label: t.about, render: ({ about }) => about },
    { key: 'note', label: t.details, isSpare: true, render: ({ note }) => note },
    {
      key: 'choose',
      label: t.actions,
      isLabelHidden: true,
      align: 'end',
      render: ({ model }) => (
        <Button size="xs" variant="default" aria-label={t.sizesOf(model)} onClick={() => onChoose(model)}>
          {t.sizes}
        </Button>
      ),
    },
  ];
  return <DataTable label={t.find} columns={columns} rows={rows} idOf={({ model }) => model} />;
}

type Variant = {
  model: string;
  quantisation: string | null;
  size_bytes: number;
  needed_bytes: number;
  fits: boolean;
  chosen: boolean;
};

/** The forms of a model with what they take here. */
function Variants({ model, onDone }: { model: string; onDone: () => void }) {
  const t = useTexts(modelsTexts);
  const bytes = useBytes();
  const format = useFormat();
  const { data, error, refetch } = useQuery(variantsQuery(model));
  const pull = usePull();
  const columns: Column<Variant>[] = [
    {
      key: 'form',
      label: t.form,
      isName: true,
      render: ({ model: each, quantisation, chosen }) => (
        <>
          {quantisation ?? each} {chosen && <Tag color="pine">{t.recommended}</Tag>}
        </>
      ),
    },
    { key: 'size', label: t.download, render: ({ size_bytes }) => bytes(size_bytes) },
    { key: 'needs', label: t.needs, render: ({ needed_bytes }) => bytes(needed_bytes) },
    {
      key: 'fits',
      label: t.fits,
      render: ({ fits }) => <Tag color={fits ? 'pine' : 'rust'}>{fits ? t.fitsHere : t.tooLarge}</Tag>,
    },
    {
      key: 'install',
      label: t.actions,
      isLabelHidden: true,
      align: 'end',
      render: (variant) => (
        <Button
          size="xs"
          variant={variant.chosen ? 'filled' : 'default'}
          disabled={!variant.fits}
          loading={pull.isPending}
          aria-label={t.installOf(variant.quantisation ?? variant.model)}
          onClick={() => pull.mutate({ model: variant.model }, { onSuccess: onDone })}
        >
          {t.install}
        </Button>
      ),
    },
  ];
  if (error) return <ProblemNote error={error} onRetry={() => void refetch()} />;
  if (!data) return <TableSkeleton columns={4} rows={3} />;
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        {t.weighed(bytes(data.budget_bytes), format.number(data.context_tokens))}
      </Text>
      {pull.error && <ProblemNote error={pull.error} />}
      <DataTable label={t.form} columns={columns} rows={data.variants} idOf={({ model: each }) => each} />
    </Stack>
  );
}
