import { Button } from '@mantine/core';
import { useTexts } from '../../i18n/catalogue.ts';
import { Panel } from '../../ui/panel.tsx';
import { accountTexts } from './account-texts.ts';

/** The browser itself saves the archive, which may be larger than what a page can hold. */
export function DataPanel() {
  const t = useTexts(accountTexts);
  return (
    <Panel title={t.data} text={t.dataText}>
      <Button component="a" href="/api/v1/account/export" download variant="default">
        {t.download}
      </Button>
    </Panel>
  );
}
