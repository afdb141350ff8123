import { Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { useIdempotencyKey } from '../../api/use-idempotency-key.ts';
import { useTexts } from '../../i18n/catalogue.ts';
import { Panel } from '../../ui/panel.tsx';
import { ProblemNote } from '../../ui/problem-note.tsx';
import { useList } from '../../ui/use-list.ts';
import { datasetLimitsQuery, datasetQuery, datasetsQuery, useDatasetOptions } from '../data/index.ts';
import type { ProjectPath } from '../projects/index.ts';
import { useBytes } from './bytes.ts';
import { DropZone } from './drop-zone.tsx';
import styles from './imports.module.css';
import { useCreateImport } from './imports-queries.ts';
import { importsTexts } from './imports-texts.ts';

const route = getRouteApi('/signed-in/projects/$owner/$project/data/imports/$import');

type NewImportProps = { at: ProjectPath; datasetId: string | undefined; onFile: (file: File) => void };

export function NewImport({ at, datasetId, onFile }: NewImportProps) {
  const t = useTexts(importsTexts);
  const bytes = useBytes();
  const navigate = route.useNavigate();
  const { data: limits } = useSuspenseQuery(datasetLimitsQuery(at));
  const create = useCreateImport(at);
  const idempotencyKeyOf = useIdempotencyKey();
  const [file, setFile] = useState<File | null>(null);
  const [target, setTarget] = useState(datasetId ?? '');
  const [name, setName] = useState<string | null>(null);
  const isTooLarge = file !== null && file.size > limits.max_import_bytes;
  const isEmpty = file?.size === 0;
  const datasetName = (name ?? (file ? nameOf(file) : '')).trim();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!file) return;
    const body = {
      file_name: file.name,
      size_bytes: file.size,
      ...(target === '' ? { dataset_name: datasetName } : { dataset_id: target }),
    };
    create.mutate(
      { body, idempotencyKey: idempotencyKeyOf(body) },
      {
        onSuccess: ({ import: { id } }) => {
          onFile(file);
          void navigate({ params: { ...at, import: id }, search: {}, replace: true });
        },
      },
    );
  };
  return (
    <Panel>
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <DropZone action={file ? t.chooseOther : t.choose} onFile={setFile}>
            {file ? (
              <p className={styles.file}>{t.fileChosen(file.name, bytes(file.size))}</p>
            ) : (
              <>
                <h3>{t.dropTitle}</h3>
                <p>{t.dropText}</p>
              </>
            )}
            {isTooLarge && (
              <p role="alert" className={styles.wrong}>
                {t.tooLarge(bytes(limits.max_import_bytes))}
              </p>
            )}
            {isEmpty && (
              <p role="alert" className={styles.wrong}>
                {t.isEmpty}
              </p>
            )}
          </DropZone>
          <div className={styles.target}>
            <TargetChoice at={at} target={target} onChange={setTarget} />
            {target === '' && (
              <TextInput
                label={t.datasetName}
                maxLength={80}
                value={name ?? (file ? nameOf(file) : '')}
                error={file && datasetName === '' ? t.nameMissing : null}
                onChange={(event) => setName(event.currentTarget.value)}
              />
            )}
          </div>
          {create.error ? <ProblemNote error={create.error} /> : null}
          <Group justify="space-between" gap="sm">
            <Text size="sm" c="dimmed" maw={460}>
              {t.nothingYet}
            </Text>
            <Button
              type="submit"
              loading={create.isPending}
              disabled={!file || isTooLarge || isEmpty || (target === '' && datasetName === '')}
            >
              {t.upload}
            </Button>
          </Group>
        </Stack>
      </form>
    </Panel>
  );
}

type TargetChoiceProps = { at: ProjectPath; target: string; onChange: (target: string) => void };

function TargetChoice({ at, target, onChange }: TargetChoiceProps) {
  const t = useTexts(importsTexts);
  const { rows: datasets } = useList(datasetsQuery(at, {}));
  const options = useDatasetOptions(datasets);
  // It may be on a later page of the list.
  const isListed = target === '' || datasets.some(({ id }) => id === target);
  const { data: other } = useQuery({ ...datasetQuery({ ...at, dataset: target }), enabled: !isListed });
  return (
    <NativeSelect
      label={t.target}
      value={target}
      data={[
        { value: '', label: t.newDataset },
        ...(isListed ? [] : [{ value: target, label: other?.name ?? '…' }]),
        ...options,
      ]}
      onChange={({ currentTarget: { value } }) => onChange(value)}
    />
  );
}

/** A readable name from that of the file. */
function nameOf({ name }: File): string {
  const stem = name.replace(/\.gz$/i, '').replace(/\.[a-z]{2,8}$/i, '');
  const text = stem.replace(/[_-]+/g, ' ').trim();
  return (text.charAt(0).toUpperCase() + text.slice(1)).slice(0, 80);
}
