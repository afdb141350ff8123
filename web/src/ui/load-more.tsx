import { Button } from '@mantine/core';
import { useTexts } from '../i18n/catalogue.ts';
import { useFormat } from '../i18n/format.ts';
import { useLanguage } from '../i18n/language.tsx';
import { sharedTexts } from '../i18n/shared-texts.ts';
import styles from './load-more.module.css';
import { notifyProblem } from './notify.tsx';

export type PagedList = {
  data: { pages: { total_count: number; total_count_is_exact?: boolean }[] };
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => Promise<{ error: unknown }>;
};

/** Shows how much of a list is loaded, and a button for more. Nothing when it is complete. */
export function LoadMore({ list, shown }: { list: PagedList; shown: number }) {
  const t = useTexts(sharedTexts);
  const format = useFormat();
  const { language } = useLanguage();
  if (!list.hasNextPage) return null;
  const page = list.data.pages.at(-1);
  const total = format.number(page?.total_count ?? shown) + (page?.total_count_is_exact === false ? '+' : '');
  const more = async () => {
    const { error } = await list.fetchNextPage();
    if (error) notifyProblem(error, language);
  };
  return (
    <div className={styles.more}>
      <span>{t.shownOf(format.number(shown), total)}</span>
      <Button variant="default" size="xs" loading={list.isFetchingNextPage} onClick={more}>
        {t.loadMore}
      </Button>
    </div>
  );
}
