import { UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ComponentProps } from 'react';
import { sessionQuery } from '../../api/session.ts';
import { useTexts } from '../../i18n/catalogue.ts';
import { IconChevronDown } from '../../ui/icons.tsx';
import styles from './account-menu.module.css';
import { frameTexts } from './frame-texts.ts';

type AccountFaceProps = ComponentProps<'button'> & {
  /** Only the initials are shown. */
  isCompact: boolean;
};

export function AccountFace({ isCompact, ...props }: AccountFaceProps) {
  const t = useTexts(frameTexts);
  const { data: session } = useQuery(sessionQuery);
  const name = session?.account.display_name ?? '';
  const secondLine = session?.account.email ?? session?.account.slug;
  // The accessible name contains the visible text, for voice control.
  const label = isCompact ? t.account(name) : `${t.account(name)} ${secondLine ?? ''}`;
  return (
    <UnstyledButton
      aria-haspopup="menu"
      aria-expanded={false}
      {...props}
      className={styles.button}
      aria-label={label}
      data-compact={isCompact || undefined}
    >
      {/* Drawn by CSS, so that it is not part of the accessible name. */}
      <span className={styles.initials} data-initials={initialsOf(name)} />
      {!isCompact && (
        <>
          <span className={styles.names}>
            <span>{name}</span> <span className={styles.second}>{secondLine}</span>
          </span>
          <IconChevronDown size={16} />
        </>
      )}
    </UnstyledButton>
  );
}

/** Two letters of a name, or the first character of a Chinese one. */
function initialsOf(name: string): string {
  const [first = '', ...rest] = name.trim().split(/\s+/);
  const last = rest.at(-1) ?? '';
  const letters = /^\p{Script=Han}/u.test(first) ? [...first].slice(0, 1) : [[...first][0], [...last][0]];
  return letters.join('').toUpperCase();
}
