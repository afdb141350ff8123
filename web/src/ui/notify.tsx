import type { ReactNode } from 'react';
import { type Language, languageOf } from '../i18n/language.tsx';
import { textOfProblem } from '../i18n/problem-texts.ts';
import { sharedTexts } from '../i18n/shared-texts.ts';
import { IconAlertCircle, IconCheck } from './icons.tsx';

/** Comes after the first page, before anything is to be told. */
export const loadNotices = () => import('./notices.tsx');

const colors = { good: 'pine', bad: 'rust' } as const;

type Notice = {
  tone: 'good' | 'bad';
  text: ReactNode;
  /** Where it leads on; it stays long enough to be followed. */
  link?: ReactNode;
};

/** A short word in the corner about something that was done; never the only place where a failure is told. */
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

/** For changes that are made with one click, where there is no place beside it for a note. */
export function notifyProblem(error: unknown, language: Language): void {
  const { what, next } = textOfProblem(error, language);
  notify({ tone: 'bad', text: next === null ? what : `${what} ${next}` });
}
