import { Button, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { Panel } from '../../ui/panel.tsx';
import { ProblemNote } from '../../ui/problem-note.tsx';
import styles from './indexes.module.css';
import { useSearch } from './indexes-changes.ts';
import type { IndexPath } from './indexes-queries.ts';
import { indexesTexts } from './indexes-texts.ts';

const decimals = new Intl.NumberFormat('en', { minimumFractionDigits: 3, maximumFractionDigits: 3 });

export function SearchPanel({ at }: { at: IndexPath }) {
  const t = useTexts(indexesTexts);
  const format = useFormat();
  const [query, setQuery] = useState('');
  const search = useSearch(at);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (query.trim() !== '') search.mutate(query.trim());
  };
  return (
    <Panel title={t.search} text={t.searchText}>
      <form className={styles.query} onSubmit={submit}>
        <TextInput
          aria-label={t.query}
          placeholder={t.queryHint}
          maxLength={32_000}
          value={query}
          onChange={(event) => setQuery(event.currentTarget.value)}
        />
        <Button type="submit" loading={search.isPending} disabled={query.trim() === ''}>
          {t.find}
        </Button>
      </form>
      {search.error && <ProblemNote error={search.error} />}
      {search.data && (
        <>
          {search.data.results.length === 0 && <p className={styles.quiet}>{t.nothing}</p>}
          <ol className={styles.results} aria-label={t.search}>
            {search.data.results.map(({ rank, text, score, document_id }) => (
              <li key={rank}>
                <span>
                  {text}
                  {document_id !== null && <small>{document_id}</small>}
                </span>
                <data value={score}>{decimals.format(score)}</data>
              </li>
            ))}
          </ol>
          <p className={styles.quiet}>{t.cost(format.credits(search.data.credits))}</p>
        </>
      )}
    </Panel>
  );
}
