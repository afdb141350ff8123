import { NativeSelect, Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { ProblemNote } from '../../ui/problem-note.tsx';
import { SubmitRow } from '../../ui/submit-row.tsx';
import { checkTexts } from './check-texts.ts';
import { type ImportPath, type Profile, useReadAgain } from './imports-queries.ts';

const encodings = ['utf-8', 'gb18030', 'big5', 'shift_jis', 'euc-kr', 'windows-1252', 'windows-1251', 'utf-16le'];
/** Of text: other formats are recognised by their first bytes. */
const formats = ['jsonl', 'json', 'csv', 'tsv'] as const;
const delimiters = [',', ';', '\t', '|'] as const;

type ReadAgainProps = {
  at: ImportPath;
  profile: Profile;
  isOpen: boolean;
  onClose: () => void;
  onDone: () => void;
};

/** For a file whose encoding, format or delimiter was not recognised. */
export function ReadAgain({ isOpen, ...props }: ReadAgainProps) {
  const t = useTexts(checkTexts);
  return (
    <Dialog opened={isOpen} onClose={props.onClose} title={t.readAgainTitle}>
      <ReadForm {...props} />
    </Dialog>
  );
}

function ReadForm({ at, profile, onClose, onDone }: Omit<ReadAgainProps, 'isOpen'>) {
  const t = useTexts(checkTexts);
  const [format, setFormat] = useState('');
  const [encoding, setEncoding] = useState('');
  const [delimiter, setDelimiter] = useState('');
  const read = useReadAgain(at, onDone);
  const knownFormat = formats.find((each) => each === format);
  const isTable = (knownFormat ?? profile.format) === 'csv' || (knownFormat ?? profile.format) === 'tsv';
  const submit = (event: FormEvent) => {
    event.preventDefault();
    read.mutate({
      ...(knownFormat && { format: knownFormat }),
      ...(encoding && { encoding }),
      ...(delimiter && isTable && { delimiter }),
    });
  };
  const found = { value: '', label: t.found };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <Text size="sm">{t.readAgainText}</Text>
        <NativeSelect
          label={t.format}
          value={format}
          data={[found, ...formats.map((value) => ({ value, label: value.toUpperCase() }))]}
          onChange={({ currentTarget: { value } }) => setFormat(value)}
        />
        <NativeSelect
          label={t.encoding}
          value={encoding}
          data={[found, ...encodings]}
          onChange={({ currentTarget: { value } }) => setEncoding(value)}
        />
        {isTable && (
          <NativeSelect
            label={t.delimiter}
            value={delimiter}
            data={[found, ...delimiters.map((value) => ({ value, label: t.delimiters[value] }))]}
            onChange={({ currentTarget: { value } }) => setDelimiter(value)}
          />
        )}
        {read.error ? <ProblemNote error={read.error} /> : null}
        <SubmitRow action={t.read} isBusy={read.isPending} onCancel={onClose} />
      </Stack>
    </form>
  );
}
