import { queryOptions, useMutation } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { call } from '../../api/call.ts';
import { basePath } from '../../api/page-settings.ts';
import { routeQuery } from '../../api/queries.ts';
import { type SignedIn, setAccount } from '../../api/session.ts';
import { hasChosenLanguage, languageOf, useLanguage } from '../../i18n/language.tsx';

export const signInOptionsQuery = {
  ...routeQuery(['sign-in-options'], 'GET /api/v1/auth/options', {}),
  staleTime: 60_000,
};

type Credentials = { email: string; password: string };
type NewAccount = Credentials & { display_name?: string };

/** Continues to the requested page, in the language of the account. */
function useArrival(next: string | undefined): (signedIn: SignedIn) => Promise<void> {
  const router = useRouter();
  const { choose } = useLanguage();
  return async (signedIn) => {
    setAccount(signedIn);
    if (!hasChosenLanguage()) choose(languageOf(signedIn.account.locale));
    await router.navigate({ href: next ?? '/', replace: true });
  };
}

export function useSignIn(next: string | undefined) {
  const arrive = useArrival(next);
  return useMutation({
    mutationFn: (body: Credentials) => call('POST /api/v1/auth/sign-in/email', { body }),
    onSuccess: arrive,
  });
}

export function useSignUp(next: string | undefined) {
  const arrive = useArrival(next);
  return useMutation({
    mutationFn: (body: NewAccount) => call('POST /api/v1/auth/sign-up/email', { body }),
    onSuccess: arrive,
  });
}

export const invitationQuery = (token: string) =>
  queryOptions({
    queryKey: ['invitation', token],
    queryFn: () => call('POST /api/v1/auth/invitation', { body: { token } }),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });

export function useJoin() {
  const arrive = useArrival(undefined);
  return useMutation({
    mutationFn: (body: NewAccount & { token: string }) => call('POST /api/v1/auth/sign-up/invitation', { body }),
    onSuccess: arrive,
  });
}

/** Redirects to the identity provider. */
export function useRedirectToProvider(next: string | undefined) {
  return useMutation({
    mutationFn: () =>
      call('POST /api/v1/auth/sign-in/oidc', { body: next === undefined ? {} : { return_to: basePath() + next } }),
    onSuccess: ({ url }) => location.assign(url),
  });
}
