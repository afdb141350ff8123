import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import type { Routes } from '../../api/generated/contract.ts';
import type { ProjectPath } from '../projects/index.ts';
import { type HostedModel, hostedModelQuery, type ModelPath, refreshAroundModels } from './models-queries.ts';

export type NewAlias = Routes['POST /api/v1/projects/{owner}/{project}/hosted-models']['body'];
type ModelChange = Routes['PATCH /api/v1/projects/{owner}/{project}/hosted-models/{hosted_model_id}']['body'];

const partsOf = ({ owner, project, id }: ModelPath) => ({ owner, project, hosted_model_id: id });

/** Not optimistic: other accounts may call the model. */
function useModelMutation<Body>(path: ModelPath, change: (body: Body) => Promise<HostedModel>) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: (model) => {
      queryClient.setQueryData(hostedModelQuery(path).queryKey, model);
      refreshAroundModels(queryClient);
    },
  });
}

export function useCreateAlias({ owner, project }: ProjectPath) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: ({ body, idempotencyKey }: { body: NewAlias; idempotencyKey: string }) =>
      call('POST /api/v1/projects/{owner}/{project}/hosted-models', { path: { owner, project }, body, idempotencyKey }),
    onSuccess: () => refreshAroundModels(queryClient),
  });
}

export function useChangeModel(path: ModelPath) {
  return useModelMutation(path, (body: ModelChange) =>
    call('PATCH /api/v1/projects/{owner}/{project}/hosted-models/{hosted_model_id}', { path: partsOf(path), body }),
  );
}

export function useEnableModel(path: ModelPath) {
  return useModelMutation(path, (enabled: boolean) =>
    enabled
      ? call('PATCH /api/v1/projects/{owner}/{project}/hosted-models/{hosted_model_id}/activate', {
          path: partsOf(path),
        })
      : call('PATCH /api/v1/projects/{owner}/{project}/hosted-models/{hosted_model_id}/deactivate', {
          path: partsOf(path),
        }),
  );
}

export function useRollBack(path: ModelPath) {
  return useModelMutation(path, (revision: number) =>
    call('POST /api/v1/projects/{owner}/{project}/hosted-models/{hosted_model_id}/rollback', {
      path: partsOf(path),
      body: { revision },
    }),
  );
}

type NewShare = { account_slug: string; expires_at: string | null };

export function useAddShare(path: ModelPath) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: ({ body, idempotencyKey }: { body: NewShare; idempotencyKey: string }) =>
      call('POST /api/v1/projects/{owner}/{project}/hosted-models/{hosted_model_id}/shares', {
        path: partsOf(path),
        body,
        idempotencyKey,
      }),
    onSuccess: () => refreshAroundModels(queryClient),
  });
}

/** `onDone` is called even if the row is unmounted by then. */
export function useRemoveShare(path: ModelPath, onDone: () => void) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (shareId: string) =>
      call('DELETE /api/v1/projects/{owner}/{project}/hosted-models/{hosted_model_id}/shares/{share_id}', {
        path: { ...partsOf(path), share_id: shareId },
      }),
    onSuccess: () => {
      onDone();
      refreshAroundModels(queryClient);
    },
  });
}
