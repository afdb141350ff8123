import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { Panel } from '../../ui/panel.tsx';
import { ProblemNote } from '../../ui/problem-note.tsx';
import styles from './billing.module.css';
import { type Estimate, type EstimateBody, type Price, pricesQuery, useEstimate } from './billing-queries.ts';
import { pricesTexts } from './prices-texts.ts';

export function EstimatePanel() {
  const t = useTexts(pricesTexts);
  const { data: prices } = useSuspenseQuery(pricesQuery);
  const offered = prices.data.filter(({ operation }) => operation !== 'index');
  const [selected, setSelected] = useState(0);
  const [fields, setFields] = useState<EstimateFields>({
    prompt_tokens: '500',
    max_tokens: '300',
    input_tokens: '100',
    requests: '1000',
    examples: '500',
    epochs: '3',
  });
  const [isChecked, setChecked] = useState(false);
  const estimate = useEstimate();
  const price = offered[selected];
  if (!price) return null;
  const names = fieldsOf(price);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setChecked(true);
    if (names.every((name) => isCount(fields[name]))) estimate.mutate(estimateBodyOf(price, fields));
  };
  const labels = {
    prompt_tokens: t.promptTokens,
    max_tokens: t.maxTokens,
    input_tokens: t.inputTokens,
    requests: t.requests,
    examples: t.examples,
    epochs: t.epochs,
  };
  return (
    <Panel title={t.estimate} text={t.estimateText}>
      <form className={styles.estimate} onSubmit={submit} noValidate>
        <NativeSelect
          label={t.what}
          value={String(selected)}
          data={offered.map(({ model, operation }, index) => ({
            value: String(index),
            label: `${model} · ${t.operations[operation]}`,
          }))}
          onChange={(event) => {
            setSelected(Number(event.currentTarget.value));
            estimate.reset();
          }}
        />
        {names.map((name) => (
          <TextInput
            key={name}
            label={labels[name]}
            inputMode="numeric"
            value={fields[name]}
            onChange={({ currentTarget: { value } }) => setFields((now) => ({ ...now, [name]: value }))}
            error={isChecked && !isCount(fields[name]) && t.wholeNumber}
          />
        ))}
        <Button type="submit" variant="default" className={styles.compute} loading={estimate.isPending}>
          {t.compute}
        </Button>
      </form>
      {estimate.error ? <ProblemNote error={estimate.error} /> : null}
      <div aria-live="polite">{estimate.data && <Result estimate={estimate.data} />}</div>
    </Panel>
  );
}

function Result({ estimate: { credits, active_ms, basis } }: { estimate: Estimate }) {
  const t = useTexts(pricesTexts);
  const format = useFormat();
  const isOne = credits.low === credits.high;
  return (
    <div className={styles.result}>
      <strong>{t.about(format.credits(credits.expected))}</strong>
      {!isOne && <p>{t.range(format.credits(credits.low), format.credits(credits.high))}</p>}
      <p>
        {t.time(format.duration(active_ms.expected))} · {t.bases[basis]}
      </p>
    </div>
  );
}

const names = ['prompt_tokens', 'max_tokens', 'input_tokens', 'requests', 'examples', 'epochs'] as const;
type EstimateField = (typeof names)[number];
type EstimateFields = Record<EstimateField, string>;

function fieldsOf({ operation, kind }: Pick<Price, 'operation' | 'kind'>): readonly EstimateField[] {
  if (operation === 'training') return ['examples', 'epochs'];
  return kind === 'text' ? ['prompt_tokens', 'max_tokens', 'requests'] : ['input_tokens', 'requests'];
}

const isCount = (text: string): boolean => /^\d{1,8}$/.test(text.trim()) && Number(text) >= 1;

function estimateBodyOf({ operation, kind, model }: Price, fields: EstimateFields): EstimateBody {
  const number = (name: EstimateField) => Number(fields[name]);
  if (operation === 'training')
    return {
      operation: 'training',
      base_model: model,
      examples: number('examples'),
      hyperparameters: { epochs: number('epochs') },
    };
  const size =
    kind === 'text'
      ? { prompt_tokens: number('prompt_tokens'), max_tokens: number('max_tokens') }
      : { input_tokens: number('input_tokens') };
  return { operation: 'inference', model, requests: number('requests'), ...size };
}
