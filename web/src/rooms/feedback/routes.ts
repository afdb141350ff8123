import { createRoute } from '@tanstack/react-router';
import { lazyComponent } from '../../routing/lazy-component.ts';
import { datasetRoute } from '../data/index.ts';
import { eventsQuery, readEventsSearch } from './feedback-queries.ts';

export const feedbackRoute = createRoute({
  getParentRoute: () => datasetRoute,
  path: '/feedback',
  validateSearch: readEventsSearch,
  loaderDeps: ({ search: { state, q } }) => ({ state, q }),
  loader: ({ context, params, deps }) => void context.queryClient.prefetchInfiniteQuery(eventsQuery(params, deps)),
  component: lazyComponent(() => import('./feedback-page.tsx'), 'FeedbackPage'),
});
