import { Button, Group, NativeSelect, Stack } from '@mantine/core';
import { useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { isRead, JsonField } from './setting-fields.tsx';
import type { AnswerFormat } from './settings.ts';
import { settingsTexts } from './settings-texts.ts';
import { readObject } from './tools.ts';

const example = {
  type: 'object',
  properties: { answer: { type: 'string' }, is_certain: { type: 'boolean' } },
  required: ['answer', 'is_certain'],
};

const formatOf = (schema: Record<string, unknown>): AnswerFormat => ({
  type: 'json_schema',
  json_schema: { name: 'answer', schema },
});

type AnswerFormatFieldProps = { start: AnswerFormat | null; onChange: (format: AnswerFormat | null) => void };

/** Text, JSON, or JSON that fits a schema. */
export function AnswerFormatField({ start, onChange }: AnswerFormatFieldProps) {
  const t = useTexts(settingsTexts);
  const [type, setType] = useState(start?.type ?? 'text');
  const schema = start?.type === 'json_schema' ? start.json_schema.schema : null;
  const [text, setText] = useState(schema ? JSON.stringify(schema, null, 2) : '');
  const isWrong = !isRead(() => readObject(text));
  const change = (typed: string) => {
    setText(typed);
    isRead(() => onChange(formatOf(readObject(typed))));
  };
  const choose = (next: AnswerFormat['type']) => {
    setType(next);
    if (next !== 'json_schema') onChange(next === 'text' ? null : { type: next });
    else change(text || JSON.stringify(example, null, 2));
  };
  return (
    <Stack gap="xs">
      <NativeSelect
        label={t.form}
        value={type}
        data={(['text', 'json_object', 'json_schema'] as const).map((value) => ({ value, label: t.forms[value] }))}
        // as: the options are these.
        onChange={(event) => choose(event.currentTarget.value as AnswerFormat['type'])}
      />
      {type === 'json_schema' && (
        <>
          <JsonField
            label={t.schema}
            description={t.schemaHint}
            text={text}
            error={isWrong && t.schemaWrong}
            onChange={change}
          />
          <Group>
            <Button variant="default" size="xs" onClick={() => change(JSON.stringify(example, null, 2))}>
              {t.example}
            </Button>
          </Group>
        </>
      )}
    </Stack>
  );
}
