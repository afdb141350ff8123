import type { ReactNode } from 'react';
import { type Language, languageOf } from '../i18n/language.tsx';
import { sharedTexts } from '../i18n/shared-texts.ts';
import { IconAlertCircle, IconCheck } from './icons.tsx';

/** Loaded after the first page. */
export const loadNotices = () => import('./notices.tsx');

const colors = { good: 'pine', bad: 'rust' } as const;

type Tone = keyof typeof colors;

type Notice = {
  tone: Tone;
  text: ReactNode;
  /** Shown longer, so that the link can be followed. */
  link?: ReactNode;
};

const fieldsOf = (tone: Tone, isLong: boolean) => ({
  color: colors[tone],
  icon: tone === 'good' ? <IconCheck size={16} /> : <IconAlertCircle size={16} />,
  autoClose: tone === 'good' && !isLong ? 4_000 : 10_000,
  withBorder: true,
  closeButtonProps: { 'aria-label': sharedTexts[languageOf(document.documentElement.lang)].close },
});

/** A short message in the corner. Failures must not be shown here only. */
export function notify({ tone, text, link }: Notice): void {
  const message = link ? (
    <>
      {text} {link}
    </>
  ) : (
    text
  );
  void loadNotices().then(({ show }) => show({ ...fieldsOf(tone, Boolean(link)), message }), console.error);
}

/** For actions without a place for an error message. */
export function notifyProblem(error: unknown, language: Language): void {
  void loadNotices().then(({ showProblem }) => showProblem(fieldsOf('bad', true), error, language), console.error);
}
