import { createRoute, redirect } from '@tanstack/react-router';
import { queryClient } from '../../api/query-client.ts';
import { sessionQuery } from '../../api/session.ts';
import { lazyComponent } from '../../routing/lazy-component.ts';
import { rootRoute } from '../../routing/root-route.ts';
import { signInOptionsQuery } from './sign-in-queries.ts';

type SignInSearch = {
  /** Where to go after signing in: a page of this app. */
  next?: string | undefined;
  /** Error code of the identity provider. */
  error?: string | undefined;
};

/** Neither `//host` nor `/\host`, which browsers take for another site. */
const ownPage = /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/;

function readSearch(search: Record<string, unknown>): SignInSearch {
  const { next, error } = search;
  // Each is named: keys that are left out would stay in the URL.
  return {
    next: typeof next === 'string' && ownPage.test(next) ? next : undefined,
    error: typeof error === 'string' ? error : undefined,
  };
}

async function leaveWhenSignedIn({ search }: { search: SignInSearch }): Promise<void> {
  const session = await queryClient.ensureQueryData(sessionQuery);
  if (session !== null) throw redirect({ href: search.next ?? '/', replace: true });
}

const loadOptions = () => void queryClient.prefetchQuery(signInOptionsQuery);

export const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch: readSearch,
  beforeLoad: leaveWhenSignedIn,
  loader: loadOptions,
  component: lazyComponent(() => import('./sign-in-page.tsx'), 'SignInPage'),
});

export const signUpRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-up',
  validateSearch: readSearch,
  beforeLoad: leaveWhenSignedIn,
  loader: loadOptions,
  component: lazyComponent(() => import('./sign-up-page.tsx'), 'SignUpPage'),
});

/** Also for somebody who is signed in: who opens a link may want another account. */
export const joinRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/join',
  component: lazyComponent(() => import('./join-page.tsx'), 'JoinPage'),
});
