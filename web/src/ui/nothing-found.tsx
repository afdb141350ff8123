import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTexts } from '../i18n/catalogue.ts';
import { sharedTexts } from '../i18n/shared-texts.ts';
import { EmptyState } from './empty-state.tsx';
import { focusSearch } from './focus-search.ts';
import { IconSearch } from './icons.tsx';

type NothingFoundProps = {
  children: ReactNode;
  onClear: () => void;
};

/** An empty search result, with a button that clears the filters. */
export function NothingFound({ children, onClear }: NothingFoundProps) {
  const t = useTexts(sharedTexts);
  const clear = () => {
    onClear();
    // The button disappears, and the focus with it.
    focusSearch();
  };
  return (
    <EmptyState
      icon={IconSearch}
      title={t.nothingFound}
      action={
        <Button variant="default" onClick={clear}>
          {t.clear}
        </Button>
      }
    >
      {children}
    </EmptyState>
  );
}
