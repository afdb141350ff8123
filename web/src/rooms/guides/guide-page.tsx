import { TextInput } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useLocation, useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { useLanguage } from '../../i18n/language.tsx';
import { BackLink } from '../../ui/back-link.tsx';
import { IconSearch } from '../../ui/icons.tsx';
import { Page } from '../../ui/page.tsx';
import { GuideText } from './guide-text.tsx';
import styles from './guides.module.css';
import { type GuideHeading, guideQuery } from './guides-queries.ts';
import { guidesTexts } from './guides-texts.ts';

const route = getRouteApi('/guides/$guide');

export function GuidePage() {
  const t = useTexts(guidesTexts);
  const { language } = useLanguage();
  const { data: guide } = useSuspenseQuery(guideQuery(route.useParams().guide));
  useScrollToHeading();
  const headings = guide.headings.filter(({ level }) => level <= 3);
  return (
    <Page
      title={guide.title}
      above={<BackLink to="/guides">{t.all}</BackLink>}
      lead={language === 'en' ? undefined : t.language}
      actions={<Search />}
    >
      <div className={styles.guide}>
        {headings.length > 1 && <Contents headings={headings} />}
        <GuideText markdown={guide.markdown} />
      </div>
    </Page>
  );
}

/** On the first page of a visit, the router looks for the heading before the layout around it is there. */
function useScrollToHeading(): void {
  const hash = useLocation({ select: (location) => location.hash });
  useEffect(() => {
    document.getElementById(hash)?.scrollIntoView();
  }, [hash]);
}

/** Beside the text, or closed above it where there is no place. */
function Contents({ headings }: { headings: readonly GuideHeading[] }) {
  const t = useTexts(guidesTexts);
  const isBeside = useMediaQuery('(min-width: 75em)', undefined, { getInitialValueInEffect: false });
  return (
    <nav className={styles.contents} aria-label={t.contents}>
      <details open={isBeside}>
        <summary>{t.contents}</summary>
        <ul lang="en">
          {headings.map(({ level, text, anchor }) => (
            <li key={anchor} data-level={level}>
              <Link to="." hash={anchor} activeOptions={{ includeHash: true }}>
                {text}
              </Link>
            </li>
          ))}
        </ul>
      </details>
    </nav>
  );
}

/** Leads to the results, which are on the page of all guides. */
function Search() {
  const t = useTexts(guidesTexts);
  const navigate = useNavigate();
  const [text, setText] = useState('');
  return (
    <search>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void navigate({ to: '/guides', search: { q: text.trim() || undefined } });
        }}
      >
        <TextInput
          type="search"
          size="xs"
          w={240}
          maw="100%"
          aria-label={t.search}
          placeholder={t.search}
          leftSection={<IconSearch size={14} />}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      </form>
    </search>
  );
}
