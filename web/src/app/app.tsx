import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { type ComponentType, type ReactNode, useEffect, useState } from 'react';
import { styleNonce } from '../api/page-settings.ts';
import { queryClient } from '../api/query-client.ts';
import { LanguageProvider } from '../i18n/language.tsx';
import { loadNotices } from '../ui/notify.tsx';
import { cssVariables, theme } from '../ui/theme.ts';
import { whenIdle } from '../ui/when-idle.ts';
import { router } from './router.ts';

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
          <RouterProvider router={router} InnerWrap={WithNotices} />
        </QueryClientProvider>
      </MantineProvider>
    </LanguageProvider>
  );
}

/** Notices contain links, so they are rendered inside the router. They are loaded after the first page. */
function WithNotices({ children }: { children: ReactNode }) {
  const [Notices, setNotices] = useState<ComponentType | null>(null);
  useEffect(() => whenIdle(() => void loadNotices().then((late) => setNotices(() => late.Notices), console.error)), []);
  return (
    <>
      {children}
      {Notices && <Notices />}
    </>
  );
}
