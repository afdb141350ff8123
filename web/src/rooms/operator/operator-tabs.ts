import type { LinkProps } from '@tanstack/react-router';
import type { operatorTexts } from './operator-texts.ts';

type OperatorTab = {
  to: NonNullable<LinkProps['to']>;
  text: keyof (typeof operatorTexts)['en']['tabs'];
  guide: string;
};

/** The pages for operators. */
export const operatorTabs: readonly OperatorTab[] = [
  { to: '/operator/models', text: 'models', guide: 'models#pull-a-model' },
  { to: '/operator/serving-routes', text: 'routes', guide: 'remote-engines' },
  { to: '/operator/people', text: 'people', guide: 'accounts#who-may-have-an-account' },
  { to: '/operator/jobs', text: 'work', guide: 'deploy#roles' },
  { to: '/operator/health', text: 'health', guide: 'operate#monitoring' },
  { to: '/operator/settings', text: 'settings', guide: 'operate#settings' },
];
