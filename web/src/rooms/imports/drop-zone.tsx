import { Button } from '@mantine/core';
import { type DragEvent, type ReactNode, useRef, useState } from 'react';
import { IconUpload } from '../../ui/icons.tsx';
import styles from './imports.module.css';

const endings = '.csv,.tsv,.txt,.xlsx,.jsonl,.ndjson,.json,.parquet,.gz';

type DropZoneProps = { action: string; children: ReactNode; onFile: (file: File) => void };

export function DropZone({ action, children, onFile }: DropZoneProps) {
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const take = (files: FileList | null) => {
    const file = files?.[0];
    if (file) onFile(file);
  };
  const onDrop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    take(event.dataTransfer.files);
  };
  const onDragOver = (event: DragEvent) => {
    event.preventDefault();
    setOver(true);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button in it does the same for those who do not drag
    <div
      className={styles.drop}
      data-over={isOver || undefined}
      onDrop={onDrop}
      onDragOver={onDragOver}
      onDragLeave={() => setOver(false)}
    >
      <IconUpload size={26} />
      {children}
      <Button variant="default" onClick={() => input.current?.click()}>
        {action}
      </Button>
      <input
        ref={input}
        type="file"
        hidden
        accept={endings}
        onChange={({ currentTarget }) => {
          take(currentTarget.files);
          // So that the same file can be chosen again.
          currentTarget.value = '';
        }}
      />
    </div>
  );
}
