import { Button } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { IconSettings } from '../../ui/icons.tsx';
import { playgroundTexts } from './playground-texts.ts';
import type { ChatSettings, Choice } from './settings.ts';

const SettingsDrawer = lazy(async () => ({ default: (await import('./settings-drawer.tsx')).SettingsDrawer }));

type SettingsButtonProps = { choice: Choice; settings: ChatSettings; onChange: (settings: ChatSettings) => void };

export function SettingsButton(props: SettingsButtonProps) {
  const t = useTexts(playgroundTexts);
  const [drawer, setDrawer] = useState<'unopened' | 'open' | 'closed'>('unopened');
  return (
    <>
      <Button variant="default" leftSection={<IconSettings size={16} />} onClick={() => setDrawer('open')}>
        {t.settings}
      </Button>
      {drawer !== 'unopened' && (
        <Suspense>
          <SettingsDrawer {...props} isOpen={drawer === 'open'} onClose={() => setDrawer('closed')} />
        </Suspense>
      )}
    </>
  );
}
