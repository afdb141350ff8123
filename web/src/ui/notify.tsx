import type { ReactNode } from 'react';
import { type Language, languageOf } from '../i18n/language.tsx';
import { textOfProblem } from '../i18n/problem-texts.ts';
import { sharedTexts } from '../i18n/shared-texts.ts';
import { IconAlertCircle, IconCheck } from './icons.tsx';

/** Loaded after the first page. */
export const loadNotices = () => import('./notices.tsx');

const colors = { good: 'pine', bad: 'rust' } as const;

type Notice = {
  tone: 'good' | 'bad';
  text: ReactNode;
  /** Shown longer, so that the link can be followed. */
  link?: ReactNode;
};

/** A short message in the corner. Failures must not be shown here only. */
export function notify({ tone, text, link }: Notice): void {
  const fields = {
    message: link ? (
      <>
        {text} {link}
      </>
    ) : (
      text
    ),
    color: colors[tone],
    icon: tone === 'good' ? <IconCheck size={16} /> : <IconAlertCircle size={16} />,
    autoClose: tone === 'good' && !link ? 4_000 : 10_000,
    withBorder: true,
    closeButtonProps: { 'aria-label': sharedTexts[languageOf(document.documentElement.lang)].close },
  };
  void loadNotices().then(({ show }) => show(fields), console.error);
}

/** For actions without a place for an error message. */
export function notifyProblem(error: unknown, language: Language): void {
  const { what, next } = textOfProblem(error, language);
  notify({ tone: 'bad', text: next === null ? what : `${what} ${next}` });
}
