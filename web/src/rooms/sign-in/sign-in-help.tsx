import type { ResponseOf } from '../../api/call.ts';
import { useTexts } from '../../i18n/catalogue.ts';
import { CodeBlock } from '../../ui/code-block.tsx';
import styles from './sign-in-help.module.css';
import { signInTexts } from './sign-in-texts.ts';

const commands = `npm run -s fanfold -- accounts set-email local you@example.com
npm run -s fanfold -- accounts set-password local`;

/** Help for people who cannot sign in, with the commands of the operator. */
export function SignInHelp({ options }: { options: ResponseOf<'GET /api/v1/auth/options'> | undefined }) {
  const t = useTexts(signInTexts);
  return (
    <details className={styles.help}>
      <summary>{t.forgotten}</summary>
      {options?.sign_up === 'closed' && <p>{t.closed}</p>}
      {options?.sign_up === 'oidc' && options.oidc && <p>{t.oidcOnly(options.oidc.name)}</p>}
      <p>{t.forgottenText}</p>
      <CodeBlock code={commands} />
    </details>
  );
}
