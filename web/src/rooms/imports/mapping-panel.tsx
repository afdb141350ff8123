import { ActionIcon, Button, NativeSelect, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { IconPlus } from '../../ui/icons.tsx';
import { Panel } from '../../ui/panel.tsx';
import { SegmentedControl } from '../../ui/segmented-control.tsx';
import { checkTexts } from './check-texts.ts';
import styles from './imports.module.css';
import type { Mapping, Profile } from './imports-queries.ts';
import {
  columnsOf,
  type Field,
  fieldsOf,
  type ImportKind,
  isOneColumn,
  isSameMapping,
  mayBeSeveral,
  withColumns,
} from './mapping-fields.ts';

type MappingPanelProps = {
  kind: ImportKind;
  profile: Profile;
  mapping: Mapping | null;
  onChange: (mapping: Mapping | null) => void;
};

/** Which columns make an example. They are recognised by their names, and can be corrected here. */
export function MappingPanel({ kind, profile, mapping, onChange }: MappingPanelProps) {
  const t = useTexts(checkTexts);
  const { suggested_mapping: suggested, detected_shape: shape, columns } = profile;
  const [isOne, setOne] = useState(mapping === null ? mayHoldConversations(columns) : isOneColumn(mapping));
  const change = (field: Field, names: readonly string[]) => onChange(withColumns(mapping, field, names));
  const changeMode = (next: boolean) => {
    setOne(next);
    const gone: Field[] = next ? ['system', 'user', 'assistant'] : ['messages'];
    onChange(gone.reduce<Mapping>((rest, field) => withColumns(rest, field, []), mapping ?? {}));
  };
  const takeSuggestion = () => {
    setOne(isOneColumn(suggested));
    onChange(suggested);
  };
  const isSuggested = isSameMapping(mapping, suggested);
  return (
    <Panel
      title={t.mapping}
      text={suggested ? t.suggested(t.shapes[shape]) : t.notRecognised}
      aside={
        suggested &&
        !isSuggested && (
          <Button size="xs" variant="light" onClick={takeSuggestion}>
            {t.useSuggested}
          </Button>
        )
      }
    >
      <Stack gap="md">
        {kind === 'text' && (
          <div>
            <SegmentedControl
              size="xs"
              aria-label={t.mode}
              value={isOne ? 'one' : 'several'}
              data={[
                { value: 'one', label: t.oneColumn },
                { value: 'several', label: t.byRole },
              ]}
              onChange={(value) => changeMode(value === 'one')}
            />
          </div>
        )}
        <div className={styles.fields}>
          {fieldsOf(kind, isOne).map(({ field, isNeeded }) => (
            <ColumnChoice
              key={field}
              field={field}
              isNeeded={isNeeded}
              chosen={columnsOf(mapping, field)}
              columns={columns.map(({ name }) => name)}
              onChange={(names) => change(field, names)}
            />
          ))}
        </div>
      </Stack>
    </Panel>
  );
}

/** Tables have one column for each field; files with conversations have one column for all. */
function mayHoldConversations(columns: Profile['columns']): boolean {
  return columns.length < 2 || columns.some(({ type }) => type === 'array');
}

type ColumnChoiceProps = {
  field: Field;
  isNeeded: boolean;
  chosen: readonly string[];
  columns: readonly string[];
  onChange: (names: string[]) => void;
};

function ColumnChoice({ field, isNeeded, chosen, columns, onChange }: ColumnChoiceProps) {
  const t = useTexts(checkTexts);
  const [isAdding, setAdding] = useState(false);
  const label = t.fields[field];
  const fields = chosen.length === 0 || isAdding ? [...chosen, ''] : chosen;
  const set = (place: number, name: string) => {
    setAdding(false);
    onChange(fields.map((before, index) => (index === place ? name : before)).filter((each) => each !== ''));
  };
  return (
    <div className={styles.several}>
      {fields.map((name, place) => (
        <NativeSelect
          // biome-ignore lint/suspicious/noArrayIndexKey: the place is what it is
          key={place}
          size="sm"
          label={place === 0 ? label : undefined}
          aria-label={place === 0 ? undefined : t.nth(label, place + 1)}
          withAsterisk={isNeeded && place === 0}
          value={name}
          data={[{ value: '', label: t.noColumn }, ...columns]}
          onChange={({ currentTarget: { value } }) => set(place, value)}
        />
      ))}
      {mayBeSeveral.has(field) && chosen.length > 0 && !isAdding && chosen.length < columns.length && (
        <ActionIcon size="sm" aria-label={t.addColumn(label)} onClick={() => setAdding(true)}>
          <IconPlus size={14} />
        </ActionIcon>
      )}
      {isNeeded && chosen.length === 0 && (
        <Text size="xs" c="dimmed">
          {t.needed}
        </Text>
      )}
    </div>
  );
}
