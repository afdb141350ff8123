import { Alert, Badge, Button, Group, NativeSelect, TextInput } from '@mantine/core';
import { useRef, useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { IconCircleCheck } from '../../ui/icons.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ProblemNote } from '../../ui/problem-note.tsx';
import styles from './indexes.module.css';
import { type Mined, type MiningSoFar, useMine, usePreviewMining } from './indexes-changes.ts';
import type { IndexPath } from './indexes-queries.ts';
import { indexesTexts } from './indexes-texts.ts';

const ranges = { most: [1, 16], ratio: [0.1, 1] } as const;

const isWithin = (text: string, [min, max]: readonly [number, number]): boolean =>
  text.trim() !== '' && Number(text) >= min && Number(text) <= max;

/** Mines hard negatives: texts that the model ranks high although they are wrong. */
export function MiningPanel({ at }: { at: IndexPath }) {
  const t = useTexts(indexesTexts);
  const format = useFormat();
  const [split, setSplit] = useState<'train' | 'test'>('train');
  const [most, setMost] = useState('5');
  const [ratio, setRatio] = useState('0.95');
  const [soFar, setSoFar] = useState<MiningSoFar | null>(null);
  const stop = useRef<AbortController>(null);
  const preview = usePreviewMining(at);
  const mine = useMine(at);
  const rule = { split, max_negatives: Number(most), max_score_ratio: Number(ratio) };
  const isMostRight = isWithin(most, ranges.most) && Number.isInteger(Number(most));
  const isRatioRight = isWithin(ratio, ranges.ratio);
  const isReady = isMostRight && isRatioRight && !mine.isPending && !preview.isPending;
  const wrong = ([min, max]: readonly [number, number]) =>
    t.wrongNumber(format.shortAmount(min), format.shortAmount(max));
  const begin = () => {
    stop.current = new AbortController();
    setSoFar(null);
    preview.reset();
    mine.mutate({ rule, signal: stop.current.signal, onProgress: setSoFar });
  };
  return (
    <Panel title={t.mining} text={t.miningText}>
      <div className={styles.rule}>
        <NativeSelect
          label={t.split}
          value={split}
          data={(['train', 'test'] as const).map((value) => ({ value, label: t.splits[value] }))}
          onChange={({ currentTarget: { value } }) => setSplit(value === 'test' ? 'test' : 'train')}
        />
        <TextInput
          label={t.most}
          inputMode="numeric"
          value={most}
          error={!isMostRight && wrong(ranges.most)}
          onChange={(event) => setMost(event.currentTarget.value)}
        />
        <TextInput
          label={t.ratio}
          description={t.ratioHint}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          inputMode="decimal"
          value={ratio}
          error={!isRatioRight && wrong(ranges.ratio)}
          onChange={(event) => setRatio(event.currentTarget.value)}
        />
      </div>
      <Group gap="xs">
        <Button variant="default" disabled={!isReady} loading={preview.isPending} onClick={() => preview.mutate(rule)}>
          {t.preview}
        </Button>
        <Button disabled={!isReady} loading={mine.isPending} onClick={begin}>
          {t.mine}
        </Button>
        {mine.isPending && (
          <Button variant="default" onClick={() => stop.current?.abort()}>
            {t.stop}
          </Button>
        )}
        <span className={styles.quiet} aria-live="polite">
          {mine.isPending && soFar && t.soFar(format.number(soFar.seen), format.number(soFar.written))}
        </span>
      </Group>
      {(mine.error || preview.error) && <ProblemNote error={mine.error ?? preview.error} />}
      {mine.data && <Done at={at} mined={mine.data} />}
      {preview.data && <MiningPreview mined={preview.data} />}
    </Panel>
  );
}

function Done({ at, mined }: { at: IndexPath; mined: MiningSoFar }) {
  const t = useTexts(indexesTexts);
  const format = useFormat();
  const { index: _index, ...params } = at;
  return (
    <Alert
      mt="md"
      color="pine"
      icon={<IconCircleCheck />}
      title={t.mined(format.number(mined.written), format.credits(String(mined.credits)))}
    >
      {mined.written > 0 && (
        <>
          {t.minedNext}
          <div>
            <ButtonLink size="xs" mt="xs" to="/projects/$owner/$project/data/$dataset/versions" params={params}>
              {t.toVersions}
            </ButtonLink>
          </div>
        </>
      )}
    </Alert>
  );
}

function MiningPreview({ mined: { results, credits } }: { mined: Mined }) {
  const t = useTexts(indexesTexts);
  const format = useFormat();
  if (results.length === 0) return <p className={styles.quiet}>{t.noExamples}</p>;
  return (
    <section className={styles.preview} aria-label={t.previewed}>
      <h3>{t.previewed}</h3>
      <ul>
        {results.map(({ example_id, status, negatives, too_similar }) => (
          <li key={example_id}>
            <Badge color={status === 'mined' ? 'pine' : 'gray'}>{t.statuses[status]}</Badge>
            {too_similar > 0 && <small> {t.tooSimilar(format.number(too_similar))}</small>}
            {negatives.map(({ text, rank }) => (
              <p key={rank}>
                {text} <small>{t.place(format.number(rank))}</small>
              </p>
            ))}
          </li>
        ))}
      </ul>
      <p className={styles.quiet}>{t.cost(format.credits(credits))}</p>
    </section>
  );
}
