import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTexts } from '../i18n/catalogue.ts';
import { sharedTexts } from '../i18n/shared-texts.ts';
import { Empty } from './empty.tsx';
import { focusSearch } from './focus-search.ts';
import { IconSearch } from './icons.tsx';

type NothingFoundProps = {
  /** What there is none of, and where else to look. */
  children: ReactNode;
  /** Takes the search and all filters away. */
  onClear: () => void;
};

/** No row of a list fits what is asked for: says so, and leads back to all of them. */
export function NothingFound({ children, onClear }: NothingFoundProps) {
  const t = useTexts(sharedTexts);
  const clear = () => {
    onClear();
    // This button goes; its focus would go with it.
    focusSearch();
  };
  return (
    <Empty
      icon={IconSearch}
      title={t.nothingFound}
      action={
        <Button variant="default" onClick={clear}>
          {t.clear}
        </Button>
      }
    >
      {children}
    </Empty>
  );
}
