import { Group, Progress, Stack, Text } from '@mantine/core';
import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { AsyncBoundary } from '../../ui/async-boundary.tsx';
import { focusTitle } from '../../ui/focus-title.ts';
import { IconArrowLeft } from '../../ui/icons.tsx';
import styles from '../../ui/list-page.module.css';
import { PageTitle } from '../../ui/page-title.tsx';
import { Panel } from '../../ui/panel.tsx';
import { TableSkeleton } from '../../ui/table-skeleton.tsx';
import { CancelImport } from './cancel-import.tsx';
import { CheckStep } from './check-step.tsx';
import { EndStep } from './end-step.tsx';
import { type Import, type ImportPath, type ImportState, importQuery, refreshAfterImport } from './imports-queries.ts';
import { importsTexts } from './imports-texts.ts';
import { NewImport } from './new-import.tsx';
import { type ImportStep, Steps } from './steps.tsx';
import { UploadStep } from './upload-step.tsx';

const route = getRouteApi('/signed-in/projects/$owner/$project/data/imports/$import');

/** The steps of an import. The current one follows from the URL, so it survives a reload. */
export function ImportPage() {
  const at = route.useParams();
  const { dataset } = route.useSearch();
  // Here, because the URL changes during the upload.
  const [file, setFile] = useState<File | null>(null);
  if (at.import === 'new')
    return (
      <Wizard step="file">
        <AsyncBoundary skeleton={<TableSkeleton columns={1} />}>
          <NewImport at={at} datasetId={dataset} onFile={setFile} />
        </AsyncBoundary>
      </Wizard>
    );
  return (
    <AsyncBoundary skeleton={<TableSkeleton columns={1} rows={6} />}>
      <Going key={at.import} at={at} file={file} onFile={setFile} />
    </AsyncBoundary>
  );
}

type WizardProps = { name?: string; step: ImportStep; children: ReactNode };

function Wizard({ name, step, children }: WizardProps) {
  const t = useTexts(importsTexts);
  const params = route.useParams();
  return (
    <div className={styles.stack}>
      <div className={styles.dataset}>
        <div>
          <p className={styles.where}>
            <Link to="/projects/$owner/$project/data" params={params}>
              <IconArrowLeft size={14} />
              {t.back}
            </Link>
          </p>
          <PageTitle order={2} guide="importing">
            {name === undefined ? t.title : t.titleOf(name)}
          </PageTitle>
        </div>
      </div>
      <Steps step={step} />
      {children}
    </div>
  );
}

type GoingProps = { at: ImportPath; file: File | null; onFile: (file: File | null) => void };

function Going({ at, file, onFile }: GoingProps) {
  const queryClient = useQueryClient();
  const query = importQuery(at);
  const { data: going } = useSuspenseQuery({ ...query, retry: false });
  const { state } = going;
  const [wasChecked, setChecked] = useState(state === 'ready');
  if (state === 'ready' && !wasChecked) setChecked(true);
  useEffect(() => {
    if (state === 'completed') refreshAfterImport(queryClient, at, going);
  }, [state, queryClient, at, going]);
  // Each step removes the button that led to it.
  const before = useRef(file === null ? state : null);
  useEffect(() => {
    if (before.current !== state) focusTitle();
    before.current = state;
  }, [state]);
  const { name } = going.file;
  switch (state) {
    case 'awaiting_upload':
      return (
        <Wizard name={name} step="file">
          <UploadStep at={at} going={going} file={file} onFile={onFile} />
        </Wizard>
      );
    case 'uploaded':
    case 'profiling':
      // Another mapping: the choice stays.
      if (!wasChecked)
        return (
          <Wizard name={name} step="check">
            <WorkStep at={at} going={going} />
          </Wizard>
        );
      return (
        <Wizard name={name} step="check">
          <CheckStep at={at} going={going} onReadAgain={() => setChecked(false)} />
        </Wizard>
      );
    case 'ready':
      return (
        <Wizard name={name} step="check">
          <CheckStep at={at} going={going} onReadAgain={() => setChecked(false)} />
        </Wizard>
      );
    case 'importing':
    case 'canceling':
      return (
        <Wizard name={name} step="done">
          <WorkStep at={at} going={going} />
        </Wizard>
      );
    default:
      return (
        <Wizard name={name} step={lastStepOf(going)}>
          <EndStep at={at} going={going} />
        </Wizard>
      );
  }
}

/** How far a finished import came. */
function lastStepOf({ state, file, mapping }: Import): ImportStep {
  if (state === 'completed') return 'done';
  if (file.received_bytes < file.size_bytes) return 'file';
  return state === 'failed' && mapping !== null ? 'done' : 'check';
}

type Phase = keyof (typeof importsTexts)['en']['phases'];

const phaseOf = (state: ImportState): Phase =>
  state === 'uploaded' || state === 'importing' || state === 'canceling' ? state : 'profiling';

function WorkStep({ at, going }: { at: ImportPath; going: Import }) {
  const t = useTexts(importsTexts);
  const format = useFormat();
  const { state, progress } = going;
  const { rows_done: done, rows_total: total, percent } = progress;
  const title = t.phases[phaseOf(state)];
  const rows = total === null ? t.rowsDone(format.number(done)) : t.rowsOf(format.number(done), format.number(total));
  return (
    <Panel title={title}>
      <Stack gap="sm">
        <Progress
          value={percent ?? (state === 'uploaded' ? 0 : 100)}
          striped={percent === null}
          animated={percent === null && state !== 'uploaded'}
          aria-label={title}
          size="md"
        />
        <Group justify="space-between" gap="xs">
          <Text size="sm">{done > 0 && rows}</Text>
          {percent !== null && <Text size="sm">{format.percent(percent / 100)}</Text>}
        </Group>
        <Text size="sm" c="dimmed">
          {t.canLeave}
        </Text>
        {state !== 'canceling' && (
          <Group justify="flex-end">
            <CancelImport at={at} />
          </Group>
        )}
      </Stack>
    </Panel>
  );
}
