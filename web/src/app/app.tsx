import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { queryClient } from '../api/query-client.ts';
import { LanguageProvider } from '../i18n/language.tsx';
import { cssVariables, theme } from '../ui/theme.ts';
import { styleNonce } from './page-settings.ts';
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
          <Notifications position="bottom-right" limit={3} containerWidth={380} />
          <RouterProvider router={router} />
        </QueryClientProvider>
      </MantineProvider>
    </LanguageProvider>
  );
}
