import type { LinkProps } from '@tanstack/react-router';
import type { Catalogue } from '../i18n/catalogue.ts';
import type { Icon } from '../ui/icons.tsx';

/** A page of the side bar. */
export type NavItem = {
  to: NonNullable<LinkProps['to']>;
  icon: Icon;
  texts: Catalogue<{ nav: string }>;
  /** Pressed after G. */
  shortcut: string;
};
