import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { type ComponentType, useEffect, useState } from 'react';
import { queryClient } from '../api/query-client.ts';
import { LanguageProvider } from '../i18n/language.tsx';
import { loadNotices } from '../ui/notify.tsx';
import { cssVariables, theme } from '../ui/theme.ts';
import { styleNonce } from './page-settings.ts';
import { router } from './router.ts';
import { whenIdle } from './when-idle.ts';

const schemes = localStorageColorSchemeManager({ key: 'fanfold.scheme' });

export function App() {
  return (
    <LanguageProvider>
      <MantineProvider
        theme={theme}
        cssVariablesResolver={cssVariables}
        colorSchemeManager={schemes}
        defaultColorScheme="auto"
        getStyleNonce={styleNonce}
      >
        <QueryClientProvider client={queryClient}>
          <LateNotices />
          <RouterProvider router={router} />
        </QueryClientProvider>
      </MantineProvider>
    </LanguageProvider>
  );
}

/** Nothing is to be told before the first page stands. */
function LateNotices() {
  const [Notices, setNotices] = useState<ComponentType | null>(null);
  useEffect(() => {
    const load = () => void loadNotices().then((late) => setNotices(() => late.Notices), console.error);
    return whenIdle(load);
  }, []);
  return Notices && <Notices />;
}
