import { Button, NativeSelect } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTexts } from '../i18n/catalogue.ts';
import { sharedTexts } from '../i18n/shared-texts.ts';
import { IconX } from './icons.tsx';
import { SegmentedControl } from './segmented-control.tsx';

type FilterProps<Value extends string> = {
  label: string;
  /** Label of the choice without a filter. */
  all: string;
  values: readonly Value[];
  names: Readonly<Record<Value, string>>;
  /** Undefined: no filter. */
  value: Value | undefined;
  onChange: (value: Value | undefined) => void;
};

const nothing = '';

function choicesOf<Value extends string>({ all, values, names }: FilterProps<Value>) {
  return [{ value: nothing, label: all }, ...values.map((value) => ({ value, label: names[value] }))];
}

/** A filter with few choices, all visible. */
export function ChoiceFilter<Value extends string>(props: FilterProps<Value>) {
  const { label, values, value, onChange } = props;
  return (
    <SegmentedControl
      size="xs"
      aria-label={label}
      value={value ?? nothing}
      data={choicesOf(props)}
      onChange={(chosen) => onChange(values.find((each) => each === chosen))}
    />
  );
}

type ArchiveFilterProps = { label: string; value: boolean | undefined; onChange: (value: true | undefined) => void };

export function ArchiveFilter({ label, value, onChange }: ArchiveFilterProps) {
  const t = useTexts(sharedTexts);
  return (
    <ChoiceFilter
      label={label}
      all={t.inUse}
      values={['archived']}
      names={{ archived: t.archive }}
      value={value ? 'archived' : undefined}
      onChange={(chosen) => onChange(chosen ? true : undefined)}
    />
  );
}

/** A filter with many choices. */
export function SelectFilter<Value extends string>(props: FilterProps<Value>) {
  const { label, values, value, onChange } = props;
  return (
    <NativeSelect
      size="xs"
      aria-label={label}
      value={value ?? nothing}
      data={choicesOf(props)}
      onChange={({ currentTarget }) => onChange(values.find((each) => each === currentTarget.value))}
    />
  );
}

/** A filter that was set by a link; here it can only be removed. */
export function SetFilter({ name, children, onClear }: { name: string; children: ReactNode; onClear: () => void }) {
  const t = useTexts(sharedTexts);
  const title = t.clearFilter(name);
  return (
    <Button size="xs" variant="light" rightSection={<IconX size={14} />} title={title} onClick={onClear}>
      {children}
    </Button>
  );
}
