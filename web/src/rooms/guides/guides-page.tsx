import { Skeleton } from '@mantine/core';
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Fragment } from 'react';
import { basePath } from '../../api/page-settings.ts';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { useLanguage } from '../../i18n/language.tsx';
import { AsyncBoundary } from '../../ui/async-boundary.tsx';
import { ForeignLink } from '../../ui/markdown/foreign-link.tsx';
import { NothingFound } from '../../ui/nothing-found.tsx';
import { Page } from '../../ui/page.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ProblemNote } from '../../ui/problem-note.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import styles from './guides.module.css';
import { guidesQuery, sectionsQuery } from './guides-queries.ts';
import { guidesTexts } from './guides-texts.ts';
import { markWords } from './mark-words.ts';

const route = getRouteApi('/guides/');

export function GuidesPage() {
  const t = useTexts(guidesTexts);
  const { language } = useLanguage();
  const { q } = route.useSearch();
  const navigate = route.useNavigate();
  const search = (text: string | undefined) =>
    void navigate({ search: { q: text }, replace: true, resetScroll: false });
  return (
    <Page
      title={t.title}
      lead={language === 'en' ? t.lead : `${t.lead}${t.language}`}
      actions={<SearchField label={t.search} value={q} onSearch={search} />}
    >
      <AsyncBoundary skeleton={<GuidesSkeleton />}>
        {q === undefined ? <AllGuides /> : <Results query={q} onClear={() => search(undefined)} />}
      </AsyncBoundary>
    </Page>
  );
}

function AllGuides() {
  const t = useTexts(guidesTexts);
  const { data } = useSuspenseQuery(guidesQuery);
  const groups = [...new Set(data.data.map(({ group }) => group))];
  return (
    <>
      {groups.map((group) => (
        <Panel key={group} title={t.groups[group]}>
          <ul className={styles.list} lang="en">
            {data.data
              .filter((guide) => guide.group === group)
              .map(({ name, title, summary }) => (
                <li key={name}>
                  <Link to="/guides/$guide" params={{ guide: name }}>
                    {title}
                  </Link>
                  <p>{summary}</p>
                </li>
              ))}
          </ul>
        </Panel>
      ))}
      <p className={styles.reference}>
        <ForeignLink href={`${basePath()}/reference`}>{t.reference}</ForeignLink>
      </p>
    </>
  );
}

function Results({ query, onClear }: { query: string; onClear: () => void }) {
  const t = useTexts(guidesTexts);
  const format = useFormat();
  const { data, error, refetch } = useQuery(sectionsQuery(query));
  if (error) return <ProblemNote error={error} onRetry={() => void refetch()} />;
  if (!data) return <GuidesSkeleton />;
  if (data.data.length === 0)
    return (
      <Panel>
        <NothingFound onClear={onClear}>{t.nothingFor(query)}</NothingFound>
      </Panel>
    );
  return (
    <Panel>
      <p className={styles.count} aria-live="polite">
        {t.found(format.number(data.data.length))}
      </p>
      <ul className={styles.results} lang="en">
        {data.data.map(({ guide, title, heading, anchor, excerpt }) => (
          <li key={`${guide}#${anchor}`}>
            <Link to="/guides/$guide" params={{ guide }} hash={anchor ?? ''}>
              {anchor === null ? title : `${title} › ${heading}`}
            </Link>
            <p>
              {markWords(excerpt, query).map(({ text, isMarked }, index) =>
                // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other name
                isMarked ? <mark key={index}>{text}</mark> : <Fragment key={index}>{text}</Fragment>,
              )}
            </p>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function GuidesSkeleton() {
  return <Skeleton height={320} radius="lg" role="status" />;
}
