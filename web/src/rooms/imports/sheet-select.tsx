import { NativeSelect } from '@mantine/core';
import { useTexts } from '../../i18n/catalogue.ts';
import { ProblemNote } from '../../ui/problem-note.tsx';
import { checkTexts } from './check-texts.ts';
import { type ImportPath, type Profile, useReadAgain } from './imports-queries.ts';

type SheetSelectProps = { at: ImportPath; profile: Profile; onDone: () => void };

/** Another sheet of the workbook is read at once. */
export function SheetSelect({ at, profile: { sheet, sheets }, onDone }: SheetSelectProps) {
  const t = useTexts(checkTexts);
  const read = useReadAgain(at, onDone);
  if (sheets.length < 2) return null;
  return (
    <>
      <NativeSelect
        label={t.sheet}
        maw={420}
        mb="md"
        value={read.variables?.sheet ?? sheet ?? ''}
        data={sheets}
        disabled={read.isPending}
        onChange={({ currentTarget: { value } }) => read.mutate({ sheet: value })}
      />
      {read.error ? <ProblemNote error={read.error} /> : null}
    </>
  );
}
