import { createRouter } from '@tanstack/react-router';
import { queryClient } from '../api/query-client.ts';
import { accountRoute } from '../rooms/account/routes.ts';
import { activityRoute } from '../rooms/activity/routes.ts';
import { checkoutRoute, creditsRoute, pricesRoute } from '../rooms/billing/routes.ts';
import { dashboardRoute } from '../rooms/dashboard/routes.ts';
import {
  dataRoute,
  datasetRoute,
  examplesRoute,
  feedbackRoute,
  importRoute,
  indexesRoute,
  indexRoute,
  savedCallsRoute,
  versionsRoute,
} from '../rooms/data/routes.ts';
import { keysRoute } from '../rooms/keys/routes.ts';
import { hostedModelRoute, hostedModelsRoute, registryRoute } from '../rooms/models/routes.ts';
import { playgroundRoute } from '../rooms/playground/routes.ts';
import { projectHomeRoute, projectRoute, projectSettingsRoute, projectsRoute } from '../rooms/projects/routes.ts';
import { signInRoute, signUpRoute } from '../rooms/sign-in/routes.ts';
import { compareRoute, jobRoute, newJobRoute, trainingRoute } from '../rooms/training/routes.ts';
import { basePath } from './page-settings.ts';
import { rootRoute, signedInRoute } from './root-route.tsx';

const routeTree = rootRoute.addChildren([
  signInRoute,
  signUpRoute,
  signedInRoute.addChildren([
    dashboardRoute,
    keysRoute,
    projectsRoute,
    projectRoute.addChildren([
      projectHomeRoute,
      playgroundRoute,
      hostedModelsRoute,
      hostedModelRoute,
      trainingRoute,
      newJobRoute,
      compareRoute,
      jobRoute,
      dataRoute,
      importRoute,
      datasetRoute.addChildren([examplesRoute, versionsRoute, indexesRoute, indexRoute, feedbackRoute]),
      savedCallsRoute,
      projectSettingsRoute,
    ]),
    registryRoute,
    creditsRoute,
    pricesRoute,
    checkoutRoute,
    activityRoute,
    accountRoute,
  ]),
]);

export const router = createRouter({
  routeTree,
  basepath: basePath() || '/',
  context: { queryClient },
  defaultPreload: 'intent',
  defaultPreloadStaleTime: 0,
  scrollRestoration: true,
  defaultPendingMs: 0,
  defaultPendingMinMs: 0,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
