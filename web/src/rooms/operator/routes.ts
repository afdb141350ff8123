import { createRoute, notFound, redirect } from '@tanstack/react-router';
import { sessionQuery } from '../../api/session.ts';
import { lazyComponent } from '../../routing/lazy-component.ts';
import { signedInRoute } from '../../routing/root-route.ts';

/** For operators only; to all others there is no such page, and the server refuses the same. */
export const operatorRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/operator',
  beforeLoad: async ({ context }) => {
    const session = await context.queryClient.ensureQueryData(sessionQuery);
    if (session?.account.role !== 'admin') throw notFound();
  },
  component: lazyComponent(() => import('./operator-frame.tsx'), 'OperatorFrame'),
});

const childOf = { getParentRoute: () => operatorRoute } as const;

export const operatorHomeRoute = createRoute({
  ...childOf,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/operator/models', replace: true });
  },
});
export const operatorModelsRoute = createRoute({
  ...childOf,
  path: '/models',
  component: lazyComponent(() => import('./models-page.tsx'), 'ModelsPage'),
});
export const operatorRoutesRoute = createRoute({
  ...childOf,
  path: '/serving-routes',
  component: lazyComponent(() => import('./serving-routes-page.tsx'), 'ServingRoutesPage'),
});
export const operatorPeopleRoute = createRoute({
  ...childOf,
  path: '/people',
  component: lazyComponent(() => import('./people-page.tsx'), 'PeoplePage'),
});
export const operatorWorkRoute = createRoute({
  ...childOf,
  path: '/jobs',
  component: lazyComponent(() => import('./work-page.tsx'), 'WorkPage'),
});
export const operatorHealthRoute = createRoute({
  ...childOf,
  path: '/health',
  component: lazyComponent(() => import('./health-page.tsx'), 'HealthPage'),
});
export const operatorSettingsRoute = createRoute({
  ...childOf,
  path: '/settings',
  component: lazyComponent(() => import('./settings-page.tsx'), 'SettingsPage'),
});
