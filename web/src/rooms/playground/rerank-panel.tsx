import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { call } from '../../api/call.ts';
import { useDraft } from '../../api/use-draft.ts';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { GrowingTextarea } from '../../ui/growing-textarea.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ProblemNote } from '../../ui/problem-note.tsx';
import type { Project } from '../projects/index.ts';
import { type Choices, groupsOf } from './choices.ts';
import { embeddingTexts } from './embedding-texts.ts';
import styles from './playground.module.css';
import { playgroundTexts } from './playground-texts.ts';
import { maxRetries, retryWhileLoading, type Waiting } from './retry-while-loading.ts';
import { Ranking } from './search-panel.tsx';

/** As many as the API takes. */
const mostDocuments = 100;

/** Ranks documents for a query with a reranker, by the public API. */
export function RerankPanel({ project, choices }: { project: Project; choices: Choices }) {
  const t = useTexts(playgroundTexts);
  const own = useTexts(embeddingTexts);
  const format = useFormat();
  const [model, setModel] = useState(choices[0].id);
  const [query, setQuery] = useState('');
  const [text, setText] = useDraft(`documents ${project.id}`, '');
  const documents = [...new Set(text.split('\n').map((line) => line.trim()))].filter((line) => line !== '');
  const isComplete = query.trim() !== '' && documents.length > 0 && documents.length <= mostDocuments;
  const [waiting, setWaiting] = useState<Waiting | null>(null);
  const leaving = useRef<AbortController | null>(null);
  useEffect(
    () => () => {
      leaving.current?.abort();
      leaving.current = null;
    },
    [],
  );
  const ranked = useMutation({
    mutationFn: async () => {
      const path = { owner: project.owner.slug, project: project.slug };
      const body = { model, query, documents };
      leaving.current ??= new AbortController();
      const { results, usage } = await retryWhileLoading(
        () => call('POST /api/v1/projects/{owner}/{project}/rerank', { path, body }),
        { signal: leaving.current.signal, onWait: setWaiting },
      );
      const found = results.map(({ index, relevance_score: score }) => ({ index, score }));
      return { documents, found, tokens: usage.prompt_tokens };
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isComplete) ranked.mutate();
  };
  const { data, error } = ranked;
  const progress = () => {
    if (waiting)
      return t.waiting(format.number(waiting.secondsLeft), format.number(waiting.retry), format.number(maxRetries));
    return data ? own.rerank.used(format.number(data.tokens)) : '';
  };
  return (
    <Panel title={own.rerank.title} text={own.rerank.text}>
      <form onSubmit={submit} className={styles.form}>
        <NativeSelect
          label={t.model}
          value={model}
          data={groupsOf(choices, t)}
          onChange={({ currentTarget }) => setModel(currentTarget.value)}
        />
        <GrowingTextarea
          label={own.rerank.documents}
          description={own.textsHint(format.number(mostDocuments))}
          minRows={4}
          maxRows={14}
          value={text}
          error={documents.length > mostDocuments && own.textsHint(format.number(mostDocuments))}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <TextInput
          label={own.query}
          placeholder={own.queryHint}
          value={query}
          onChange={(event) => setQuery(event.currentTarget.value)}
        />
        <div className={styles.composerFoot}>
          <Button type="submit" loading={ranked.isPending} disabled={!isComplete}>
            {own.rerank.rank}
          </Button>
        </div>
        <p className={styles.hint} aria-live="polite">
          {progress()}
        </p>
      </form>
      {error && <ProblemNote error={error} onRetry={() => ranked.mutate()} />}
      {data && <Ranking title={null} texts={data.documents} found={data.found} before={null} />}
    </Panel>
  );
}
