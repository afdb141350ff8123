import type { ReactNode } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { sharedTexts } from '../../i18n/shared-texts.ts';

/** A link out of the app, in another tab. */
export function ForeignLink({ href, children }: { href: string | undefined; children: ReactNode }) {
  const t = useTexts(sharedTexts);
  return (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {children}
      <span className="visually-hidden"> {t.opensNewTab}</span>
    </a>
  );
}
