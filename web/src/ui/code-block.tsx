import type { ReactNode } from 'react';
import { useTexts } from '../i18n/catalogue.ts';
import { sharedTexts } from '../i18n/shared-texts.ts';
import styles from './code-block.module.css';
import { CopyIcon } from './copy-button.tsx';

type CodeBlockProps = {
  code: string;
  /** The copied text, if it differs from the visible one. */
  copied?: string;
  /** Label for screen readers. */
  label?: string;
  /** The language of the code, shown above it. */
  language?: string;
  /** The code with its highlighting. */
  children?: ReactNode;
};

export function CodeBlock({ code, copied = code, label, language, children = code }: CodeBlockProps) {
  const t = useTexts(sharedTexts);
  return (
    // biome-ignore lint/a11y/useSemanticElements: it groups no form fields
    <div className={styles.block} role="group" aria-label={label ?? language}>
      <div className={styles.code}>
        {language !== undefined && <small className={styles.language}>{language}</small>}
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be reached by keyboard */}
        <pre tabIndex={0}>
          <code>{children}</code>
        </pre>
      </div>
      <div className={styles.copy}>
        <CopyIcon text={copied} label={t.copy} />
      </div>
    </div>
  );
}
