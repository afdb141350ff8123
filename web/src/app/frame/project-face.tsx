import { UnstyledButton } from '@mantine/core';
import type { ComponentProps } from 'react';
import type { RecentProject } from '../../api/recent-projects.ts';
import { useTexts } from '../../i18n/catalogue.ts';
import { IconChevronDown } from '../../ui/icons.tsx';
import styles from './account-menu.module.css';
import { projectTexts } from './project-texts.ts';

export function ProjectFace({ current, ...props }: ComponentProps<'button'> & { current: RecentProject }) {
  const t = useTexts(projectTexts);
  const path = `${current.owner}/${current.slug}`;
  return (
    <UnstyledButton
      aria-haspopup="dialog"
      aria-expanded={false}
      {...props}
      className={styles.button}
      aria-label={`${t.switchProject(current.name)} ${path}`}
    >
      <span className={styles.names}>
        <span>{current.name}</span> <span className={styles.second}>{path}</span>
      </span>
      <IconChevronDown size={16} />
    </UnstyledButton>
  );
}
