import { createLink } from '@tanstack/react-router';
import type { AnchorHTMLAttributes } from 'react';
import styles from './back-link.module.css';
import { IconArrowLeft } from './icons.tsx';

function BackAnchor({ className = '', children, ...props }: AnchorHTMLAttributes<HTMLAnchorElement>) {
  return (
    <a {...props} className={`${styles.back} ${className}`}>
      <IconArrowLeft size={14} /> {children}
    </a>
  );
}

export const BackLink = createLink(BackAnchor);
