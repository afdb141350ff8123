import { createRouter, Outlet } from '@tanstack/react-router';
import { basePath } from '../api/page-settings.ts';
import { queryClient } from '../api/query-client.ts';
import { accountRoute } from '../rooms/account/index.ts';
import { activityRoute } from '../rooms/activity/index.ts';
import { checkoutRoute, creditsRoute, pricesRoute } from '../rooms/billing/index.ts';
import { dashboardRoute } from '../rooms/dashboard/index.ts';
import { dataRoute, datasetRoute } from '../rooms/data/index.ts';
import { examplesRoute } from '../rooms/examples/index.ts';
import { feedbackRoute } from '../rooms/feedback/index.ts';
import { guideRoute, guidesHomeRoute, guidesRoute } from '../rooms/guides/index.ts';
import { importRoute } from '../rooms/imports/index.ts';
import { indexesRoute, indexRoute } from '../rooms/indexes/index.ts';
import { keysRoute } from '../rooms/keys/index.ts';
import { hostedModelRoute, hostedModelsRoute, registryRoute } from '../rooms/models/index.ts';
import {
  operatorHealthRoute,
  operatorHomeRoute,
  operatorModelsRoute,
  operatorPeopleRoute,
  operatorRoute,
  operatorRoutesRoute,
  operatorSettingsRoute,
  operatorWorkRoute,
} from '../rooms/operator/index.ts';
import { playgroundRoute } from '../rooms/playground/index.ts';
import { projectHomeRoute, projectRoute, projectSettingsRoute, projectsRoute } from '../rooms/projects/index.ts';
import { projectRequestsRoute, requestsRoute } from '../rooms/requests/index.ts';
import { savedCallsRoute } from '../rooms/saved-calls/index.ts';
import { joinRoute, signInRoute, signUpRoute } from '../rooms/sign-in/index.ts';
import { compareRoute, jobRoute, newJobRoute, trainingRoute } from '../rooms/training/index.ts';
import { versionsRoute } from '../rooms/versions/index.ts';
import { rootRoute, signedInRoute } from '../routing/root-route.ts';
import { Frame } from './frame/frame.tsx';
import { FrameSkeleton } from './frame/frame-skeleton.tsx';
import { NotFound } from './not-found.tsx';
import { OpenFrame } from './open-frame.tsx';
import { RouteProblem } from './route-problem.tsx';

rootRoute.update({ component: Outlet, notFoundComponent: NotFound, errorComponent: RouteProblem });
signedInRoute.update({ component: Frame, pendingComponent: FrameSkeleton, errorComponent: RouteProblem });
guidesRoute.update({ component: OpenFrame, pendingComponent: FrameSkeleton, errorComponent: RouteProblem });

const routeTree = rootRoute.addChildren([
  signInRoute,
  signUpRoute,
  joinRoute,
  guidesRoute.addChildren([guidesHomeRoute, guideRoute]),
  signedInRoute.addChildren([
    dashboardRoute,
    requestsRoute,
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
      projectRequestsRoute,
      projectSettingsRoute,
    ]),
    registryRoute,
    creditsRoute,
    pricesRoute,
    checkoutRoute,
    activityRoute,
    accountRoute,
    operatorRoute.addChildren([
      operatorHomeRoute,
      operatorModelsRoute,
      operatorRoutesRoute,
      operatorPeopleRoute,
      operatorWorkRoute,
      operatorHealthRoute,
      operatorSettingsRoute,
    ]),
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
