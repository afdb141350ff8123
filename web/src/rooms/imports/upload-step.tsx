import { Group, Progress, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { Panel } from '../../ui/panel.tsx';
import { ProblemNote } from '../../ui/problem-note.tsx';
import { useBytes } from './bytes.ts';
import { CancelImport } from './cancel-import.tsx';
import { DropZone } from './drop-zone.tsx';
import styles from './imports.module.css';
import { type Import, type ImportPath, importQuery } from './imports-queries.ts';
import { importsTexts } from './imports-texts.ts';
import { uploadFile } from './upload-file.ts';

type UploadStepProps = {
  at: ImportPath;
  going: Import;
  /** Null after a reload. */
  file: File | null;
  onFile: (file: File) => void;
};

export function UploadStep({ at, going, file, onFile }: UploadStepProps) {
  return file ? <Sending at={at} going={going} file={file} /> : <Resume at={at} going={going} onFile={onFile} />;
}

function Sending({ at, going, file }: { at: ImportPath; going: Import; file: File }) {
  const t = useTexts(importsTexts);
  const bytes = useBytes();
  const format = useFormat();
  const { sentBytes, isWaiting, error, retry } = useUpload(at, { file, receivedBytes: going.file.received_bytes });
  useWarnBeforeUnload(error === null);
  const share = sentBytes / Math.max(1, file.size);
  return (
    <Panel title={t.uploading}>
      <Stack gap="sm">
        <Progress value={share * 100} aria-label={t.uploading} size="md" transitionDuration={100} />
        <Group justify="space-between" gap="xs">
          <Text size="sm">{t.uploaded(bytes(sentBytes), bytes(file.size))}</Text>
          <Text size="sm">{format.percent(share)}</Text>
        </Group>
        <Text size="sm" c="dimmed" aria-live="polite">
          {isWaiting ? t.waiting : t.keepOpen}
        </Text>
        {error ? <ProblemNote error={error} onRetry={retry} /> : null}
        <Group justify="flex-end">
          <CancelImport at={at} />
        </Group>
      </Stack>
    </Panel>
  );
}

/** After a reload the browser no longer has the file, but the server has a part of it. */
function Resume({ at, going, onFile }: Omit<UploadStepProps, 'file'>) {
  const t = useTexts(importsTexts);
  const bytes = useBytes();
  const [isOther, setOther] = useState(false);
  const { name, size_bytes: size, received_bytes: received } = going.file;
  const take = (file: File) => {
    const isSame = file.name === name && file.size === size;
    setOther(!isSame);
    if (isSame) onFile(file);
  };
  return (
    <Panel title={t.resumeTitle}>
      <Stack gap="md">
        <DropZone action={t.choose} onFile={take}>
          <p className={styles.file}>{t.fileChosen(name, bytes(size))}</p>
          <p>{received === 0 ? t.resumeStart : t.resumeText(bytes(received), bytes(size))}</p>
          {isOther && (
            <p role="alert" className={styles.wrong}>
              {t.otherFile(name, bytes(size))}
            </p>
          )}
        </DropZone>
        <Group justify="flex-end">
          <CancelImport at={at} />
        </Group>
      </Stack>
    </Panel>
  );
}

function useWarnBeforeUnload(isOn: boolean): void {
  useEffect(() => {
    if (!isOn) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', warn);
    return () => window.removeEventListener('beforeunload', warn);
  }, [isOn]);
}

type Upload = { sentBytes: number; isWaiting: boolean; error: unknown; retry: () => void };

/** Uploads while the page is open. */
function useUpload(at: ImportPath, { file, receivedBytes }: { file: File; receivedBytes: number }): Upload {
  const queryClient = useQueryClient();
  const { owner, project, import: id } = at;
  const [sentBytes, setSentBytes] = useState(receivedBytes);
  const [isWaiting, setWaiting] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [round, setRound] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: where it begins is known once; another round begins anew
  useEffect(() => {
    const stop = new AbortController();
    const here = { owner, project, import: id };
    const run = async () => {
      try {
        const { signal } = stop;
        const done = await uploadFile({
          at: here,
          file,
          signal,
          receivedBytes: round === 0 ? receivedBytes : 0,
          onProgress: setSentBytes,
          onConnectionLost: setWaiting,
        });
        queryClient.setQueryData(importQuery(here).queryKey, done);
      } catch (failure) {
        if (!stop.signal.aborted) setError(failure);
      }
    };
    void run();
    return () => stop.abort();
  }, [owner, project, id, file, round, queryClient]);
  const retry = () => {
    setError(null);
    setRound((now) => now + 1);
  };
  return { sentBytes, isWaiting, error, retry };
}
