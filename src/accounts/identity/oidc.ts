import { oidcProviderId } from './auth-adapter.ts';
import { faultOfAuth, providerUnavailable } from './auth-errors.ts';
import type { OidcAuth } from './better-auth.ts';
import { createFlow, type Flow, type Flows, type StartedSession } from './flow.ts';

export type OidcDeps = {
  auth: () => Promise<OidcAuth>;
  flows: Flows;
  /** Where people go who did not say where to. */
  homePath: string;
  /** The page that people see when they could not sign in; it finds the reason in `error` of its query. */
  errorPath: string;
};

/** `cookies` are to be set: they hold the state of the sign-in, encrypted, until the person comes back. */
export type OidcDeparture = { url: string; cookies: string[] };

/** Where the browser goes next; `session` when the person is signed in. */
export type OidcArrival = { location: string; cookies: string[]; session: StartedSession | null };

const patienceMs = 15_000;

/** The first half: where to send the person. Throws `service_unavailable` when the provider does not answer. */
export async function departToProvider(
  { auth, flows, errorPath }: OidcDeps,
  { returnTo, requestId }: { returnTo: string; requestId: string },
): Promise<OidcDeparture> {
  const flow = createFlow({ requestId });
  const body = { provider: oidcProviderId, callbackURL: returnTo, errorCallbackURL: errorPath, disableRedirect: true };
  try {
    const { api } = await auth();
    const departure = flows.run(flow, () => api.signInSocial({ body, headers: new Headers(), returnHeaders: true }));
    const { headers, response } = await inTime(departure);
    if (response.url === undefined) throw new Error('better-auth gives no address of the provider. This is a bug.');
    return { url: response.url, cookies: headers.getSetCookie() };
  } catch (error) {
    throw faultOfAuth(error, flow);
  }
}

export type OidcCallback = { query: Record<string, string>; cookie: string; requestId: string };

/** The second half: the person comes back with a code or an error, and is sent to a page in either case. */
export async function arriveFromProvider(deps: OidcDeps, callback: OidcCallback): Promise<OidcArrival> {
  const flow = createFlow({ requestId: callback.requestId });
  try {
    const { headers } = await inTime(deps.flows.run(flow, () => exchangeCode(deps, callback)));
    const location = headers.get('location') ?? deps.errorPath;
    const cookies = headers.getSetCookie().filter(isState);
    if (flow.session) return { location, cookies, session: flow.session };
    return { location: withReason(location, flow), cookies, session: null };
  } catch (error) {
    const problem = faultOfAuth(error, flow);
    if (problem.row.status === 500) throw problem;
    return { location: withReason(deps.errorPath, { ...flow, fault: problem }), cookies: [], session: null };
  }
}

async function exchangeCode({ auth }: OidcDeps, { query, cookie }: OidcCallback): Promise<Response> {
  const { api } = await auth();
  return api.callbackOAuth({
    method: 'GET',
    params: { id: oidcProviderId },
    query,
    headers: new Headers({ cookie }),
    asResponse: true,
  });
}

/** better-auth's own session cookie holds a token in the clear beside ours, and nobody reads it. */
const isState = (cookie: string) => !/^[^=]*session_/.test(cookie);

/**
 * Translates reasons of better-auth and of the provider into ours: pages know a few reasons and print no foreign
 * text.
 */
const reasons = new Map([
  ['access_denied', 'access_denied'],
  ['account_not_linked', 'account_not_linked'],
  ['email_not_found', 'email_missing'],
  ['signup_disabled', 'sign_up_closed'],
  ['state_mismatch', 'state_mismatch'],
  ['state_not_found', 'state_mismatch'],
  ['state_invalid', 'state_mismatch'],
  ['account_suspended', 'account_suspended'],
  ['email_taken', 'email_taken'],
  ['service_unavailable', 'service_unavailable'],
  // Our rules for addresses: the only thing of a person that can be refused.
  ['invalid_request', 'email_missing'],
]);

function withReason(location: string, { fault }: Pick<Flow, 'fault'>): string {
  const url = new URL(location, 'http://localhost');
  const said = fault?.row.code ?? url.searchParams.get('error') ?? '';
  return `${url.pathname}?error=${reasons.get(said) ?? 'sign_in_failed'}`;
}

/** The provider is asked while a person waits; what it answers later is of no use. */
export async function inTime<T>(work: Promise<T>): Promise<T> {
  const timeout = AbortSignal.timeout(patienceMs);
  const late = new Promise<never>((_, reject) =>
    timeout.addEventListener('abort', () => reject(providerUnavailable()), { once: true }),
  );
  // After the time limit nobody waits for the work: without this, its failure would count as an unhandled rejection.
  work.catch(() => {});
  return Promise.race([work, late]);
}
