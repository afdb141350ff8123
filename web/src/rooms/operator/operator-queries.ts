import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { call, type ResponseOf } from '../../api/call.ts';
import type { Routes, Schemas } from '../../api/generated/contract.ts';
import { listQuery, routeQuery } from '../../api/queries.ts';

export type OperatorModel = Schemas['OperatorModel'];
export type ModelPull = Schemas['ModelPull'];
export type Person = Schemas['Person'];
export type ServingRoute = Schemas['OperatorServingRoute'];
export type Invitation = Schemas['Invitation'];

const key = (...parts: string[]): QueryKey => ['operator', ...parts];

export const operatorModelsQuery = routeQuery(key('models'), 'GET /api/v1/operator/models', {});
export const modelDetailsQuery = (id: string) =>
  routeQuery(key('model', id), 'GET /api/v1/operator/models/{base_model_id}', { path: { base_model_id: id } });
export const hubSearchQuery = (search: string) => ({
  ...routeQuery(key('hub', search), 'GET /api/v1/operator/hub/models', { query: { search, limit: 12 } }),
  staleTime: 60_000,
  retry: false,
});
export const catalogueQuery = {
  ...routeQuery(key('catalogue'), 'GET /api/v1/operator/hub/catalogue', {}),
  staleTime: 60_000,
};
export const variantsQuery = (model: string) => ({
  ...routeQuery(key('variants', model), 'GET /api/v1/operator/hub/variants', { query: { model } }),
  staleTime: 60_000,
  retry: false,
});
export const pullsQuery = {
  ...routeQuery(key('pulls'), 'GET /api/v1/operator/pulls', { query: { limit: 5 } }),
  refetchInterval: 1_000,
};
export const servingRoutesQuery = routeQuery(key('routes'), 'GET /api/v1/operator/serving-routes', {});
export const peopleQuery = (search: string | undefined) =>
  listQuery(key('people', search ?? ''), 'GET /api/v1/operator/accounts', {
    query: { limit: 50, ...(search === undefined ? {} : { search }) },
  });
export const personLimitsQuery = (id: string) =>
  routeQuery(key('limits', id), 'GET /api/v1/operator/accounts/{account_id}/limits', { path: { account_id: id } });
export const invitationsQuery = routeQuery(key('invitations'), 'GET /api/v1/operator/invitations', {});
export const signUpQuery = routeQuery(key('sign-up'), 'GET /api/v1/operator/sign-up', {});
export const workQuery = { ...routeQuery(key('jobs'), 'GET /api/v1/operator/jobs', {}), refetchInterval: 5_000 };
export const workersQuery = {
  ...routeQuery(key('workers'), 'GET /api/v1/operator/workers', {}),
  refetchInterval: 5_000,
};
export const healthQuery = {
  ...routeQuery(key('health'), 'GET /api/v1/operator/health', {}),
  staleTime: Number.POSITIVE_INFINITY,
};
export const settingsQuery = routeQuery(key('settings'), 'GET /api/v1/operator/settings', {});

/** A change after which what stands on the pages of operators is read again, and all lists of models. */
function useOperatorChange<Given, Result>(change: (given: Given) => Promise<Result>) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: () => {
      void queryClient.invalidateQueries({ queryKey: key() });
      void queryClient.invalidateQueries({ queryKey: ['projects'] });
    },
  });
}

type BodyOf<Name extends keyof Routes> = Routes[Name] extends { body: infer Body } ? Body : never;

export const usePull = () =>
  useOperatorChange((body: BodyOf<'POST /api/v1/operator/pulls'>) => call('POST /api/v1/operator/pulls', { body }));
export const useCancelPull = () =>
  useOperatorChange((id: string) => call('POST /api/v1/operator/pulls/{pull_id}/cancel', { path: { pull_id: id } }));
export const useAddModel = () =>
  useOperatorChange((body: BodyOf<'POST /api/v1/operator/models'>) => call('POST /api/v1/operator/models', { body }));
export const useSetModel = (id: string) =>
  useOperatorChange((body: BodyOf<'PATCH /api/v1/operator/models/{base_model_id}'>) =>
    call('PATCH /api/v1/operator/models/{base_model_id}', { path: { base_model_id: id }, body }),
  );
export const useRemoveModel = (id: string) =>
  useOperatorChange((force: boolean) =>
    call('DELETE /api/v1/operator/models/{base_model_id}', { path: { base_model_id: id }, query: { force } }),
  );
export const useSaveRoute = () =>
  useOperatorChange(
    ({ name, body }: { name: string; body: BodyOf<'PUT /api/v1/operator/serving-routes/{route_name}'> }) =>
      call('PUT /api/v1/operator/serving-routes/{route_name}', { path: { route_name: name }, body }),
  );
export const useDrainRoute = () =>
  useOperatorChange(({ name, draining }: { name: string; draining: boolean }) =>
    call('PATCH /api/v1/operator/serving-routes/{route_name}', { path: { route_name: name }, body: { draining } }),
  );
export const useDeleteRoute = () =>
  useOperatorChange((name: string) =>
    call('DELETE /api/v1/operator/serving-routes/{route_name}', { path: { route_name: name } }),
  );
export type RouteTest = ResponseOf<'POST /api/v1/operator/serving-routes/{route_name}/test'>;

export const useTestRoute = () =>
  useMutation({
    mutationFn: (name: string) =>
      call('POST /api/v1/operator/serving-routes/{route_name}/test', { path: { route_name: name } }),
  });
export const useChangePerson = () =>
  useOperatorChange(({ id, body }: { id: string; body: BodyOf<'PATCH /api/v1/operator/accounts/{account_id}'> }) =>
    call('PATCH /api/v1/operator/accounts/{account_id}', { path: { account_id: id }, body }),
  );
export const useDeletePerson = () =>
  useOperatorChange((id: string) =>
    call('POST /api/v1/operator/accounts/{account_id}/delete', { path: { account_id: id } }),
  );
type Grant = { body: BodyOf<'POST /api/v1/operator/accounts/{account_id}/credits'>; idempotencyKey: string };
export const useGrant = (id: string) =>
  useOperatorChange(({ body, idempotencyKey }: Grant) =>
    call('POST /api/v1/operator/accounts/{account_id}/credits', { path: { account_id: id }, body, idempotencyKey }),
  );
export const useChangePersonLimits = (id: string) =>
  useOperatorChange((body: BodyOf<'PATCH /api/v1/operator/accounts/{account_id}/limits'>) =>
    call('PATCH /api/v1/operator/accounts/{account_id}/limits', { path: { account_id: id }, body }),
  );
export const useInvite = () =>
  useOperatorChange((body: BodyOf<'POST /api/v1/operator/invitations'>) =>
    call('POST /api/v1/operator/invitations', { body }),
  );
export const useDeleteInvitation = () =>
  useOperatorChange((id: string) =>
    call('DELETE /api/v1/operator/invitations/{invitation_id}', { path: { invitation_id: id } }),
  );
export const useChangeSignUp = () =>
  useOperatorChange((body: BodyOf<'PATCH /api/v1/operator/sign-up'>) =>
    call('PATCH /api/v1/operator/sign-up', { body }),
  );
