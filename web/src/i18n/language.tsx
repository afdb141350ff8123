import { createContext, type ReactNode, useCallback, useContext, useMemo, useState } from 'react';

export type Language = 'en' | 'zh';

export const languages = [
  { language: 'en', name: 'English', tag: 'en' },
  { language: 'zh', name: '简体中文', tag: 'zh-Hans' },
] as const;

const storageKey = 'fanfold.language';

type Chosen = { language: Language; choose: (language: Language) => void };

const LanguageContext = createContext<Chosen>({ language: 'en', choose: () => {} });

/** `index.html` sets the language before the first paint. */
export function languageOfPage(): Language {
  return languageOf(document.documentElement.lang);
}

export function languageOf(tag: string): Language {
  return /^zh/i.test(tag) ? 'zh' : 'en';
}

export function hasChosenLanguage(): boolean {
  return localStorage.getItem(storageKey) !== null;
}

export function LanguageProvider({ children }: { children: ReactNode }) {
  const [language, setLanguage] = useState(languageOfPage);
  const choose = useCallback((next: Language) => {
    localStorage.setItem(storageKey, next);
    document.documentElement.lang = next === 'zh' ? 'zh-Hans' : 'en';
    setLanguage(next);
  }, []);
  const chosen = useMemo(() => ({ language, choose }), [language, choose]);
  return <LanguageContext value={chosen}>{children}</LanguageContext>;
}

export function useLanguage(): Chosen {
  return useContext(LanguageContext);
}
