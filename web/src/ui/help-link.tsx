import { Link } from '@tanstack/react-router';
import { useTexts } from '../i18n/catalogue.ts';
import { sharedTexts } from '../i18n/shared-texts.ts';
import { IconHelp } from './icons.tsx';
import styles from './page.module.css';

/** Opens a guide in another tab, so that nothing on the page is lost. */
export function HelpLink({ guide }: { guide: string }) {
  const t = useTexts(sharedTexts);
  const [name = '', hash = ''] = guide.split('#');
  return (
    <Link to="/guides/$guide" params={{ guide: name }} hash={hash} target="_blank" className={styles.help}>
      <IconHelp size={14} />
      {t.help}
      <span className="visually-hidden"> {t.opensNewTab}</span>
    </Link>
  );
}
