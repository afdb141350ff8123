import { useQueryClient } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import { sessionQuery } from '../api/session.ts';
import { type Language, useLanguage } from '../i18n/language.tsx';

const locales: Record<Language, string> = { en: 'en', zh: 'zh-CN' };

/** Sets the language of this browser and of the signed-in account. */
export function useSetLanguage(): (language: Language) => void {
  const { choose } = useLanguage();
  const queryClient = useQueryClient();
  return (language) => {
    choose(language);
    const session = queryClient.getQueryData(sessionQuery.queryKey);
    if (!session || session.account.locale === locales[language]) return;
    // The page has changed already; the account can be updated in the background.
    void call('PATCH /api/v1/me/profile', { body: { locale: locales[language] } }).then(
      (account) => queryClient.setQueryData(sessionQuery.queryKey, (now) => now && { ...now, account }),
      () => {},
    );
  };
}
