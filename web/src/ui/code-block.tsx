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
};

export function CodeBlock({ code, copied = code, label }: CodeBlockProps) {
  const t = useTexts(sharedTexts);
  return (
    // biome-ignore lint/a11y/useSemanticElements: it groups no form fields
    <div className={styles.block} role="group" aria-label={label}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be reached by keyboard */}
      <pre tabIndex={0}>
        <code>{code}</code>
      </pre>
      <div className={styles.copy}>
        <CopyIcon text={copied} label={t.copy} />
      </div>
    </div>
  );
}
