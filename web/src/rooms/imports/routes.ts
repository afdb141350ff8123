import { createRoute } from '@tanstack/react-router';
import { lazyComponent } from '../../routing/lazy-component.ts';
import { projectRoute } from '../projects/index.ts';

export const importRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/data/imports/$import',
  validateSearch: ({ dataset }: Record<string, unknown>): { dataset?: string | undefined } => ({
    dataset: typeof dataset === 'string' ? dataset : undefined,
  }),
  component: lazyComponent(() => import('./import-page.tsx'), 'ImportPage'),
});
