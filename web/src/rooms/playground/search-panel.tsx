import { Button, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { Panel } from '../../ui/panel.tsx';
import { ProblemNote } from '../../ui/problem-note.tsx';
import { embeddingTexts } from './embedding-texts.ts';
import styles from './playground.module.css';
import { type Ranked, rank } from './similarity.ts';
import type { useEmbeddings } from './use-embeddings.ts';

type SearchPanelProps = {
  texts: readonly string[];
  sides: readonly { model: string; vectors: number[][] }[];
  embed: ReturnType<typeof useEmbeddings>['embed'];
};

const decimals = new Intl.NumberFormat('en', { minimumFractionDigits: 3, maximumFractionDigits: 3 });

export function SearchPanel({ texts, sides, embed }: SearchPanelProps) {
  const t = useTexts(embeddingTexts);
  const [query, setQuery] = useState('');
  const search = useMutation({
    mutationFn: () =>
      Promise.all(
        sides.map(async ({ model, vectors }) => {
          const {
            vectors: [asked = []],
          } = await embed(model, [query], 'query');
          return { model, found: rank(asked, vectors) };
        }),
      ),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (query.trim() !== '') search.mutate();
  };
  const [first] = search.data ?? [];
  return (
    <Panel title={t.search} text={t.searchText}>
      <form className={styles.query} onSubmit={submit}>
        <TextInput
          aria-label={t.query}
          placeholder={t.queryHint}
          value={query}
          onChange={(event) => setQuery(event.currentTarget.value)}
        />
        <Button type="submit" loading={search.isPending} disabled={query.trim() === ''}>
          {t.find}
        </Button>
      </form>
      {search.error && <ProblemNote error={search.error} onRetry={() => search.mutate()} />}
      <div className={styles.rankings}>
        {search.data?.map(({ model, found }, side) => (
          <Ranking
            key={model}
            title={sides.length > 1 ? model : null}
            texts={texts}
            found={found}
            before={side > 0 ? (first?.found ?? null) : null}
          />
        ))}
      </div>
    </Panel>
  );
}

type RankingProps = {
  title: string | null;
  texts: readonly string[];
  found: readonly Ranked[];
  /** The ranking of the first model, to show differences. */
  before: readonly Ranked[] | null;
};

export function Ranking({ title, texts, found, before }: RankingProps) {
  const t = useTexts(embeddingTexts);
  const format = useFormat();
  const moved = (index: number, place: number) => {
    const was = before?.findIndex((ranked) => ranked.index === index) ?? place;
    const places = was - place;
    return places === 0 ? '' : `${places > 0 ? '↑' : '↓'} ${t.moved(format.number(Math.abs(places)))}`;
  };
  return (
    <div>
      {title !== null && <h3>{title}</h3>}
      <ol className={styles.ranking}>
        {found.map(({ index, score }, place) => (
          <li key={index}>
            <span>{texts[index]}</span>
            <small>{moved(index, place)}</small>
            <data value={score}>{decimals.format(score)}</data>
          </li>
        ))}
      </ol>
    </div>
  );
}
