import { Checkbox, NativeSelect, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useTexts } from '../../i18n/catalogue.ts';
import { sharedTexts } from '../../i18n/shared-texts.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { notify } from '../../ui/notify.tsx';
import { ProblemNote } from '../../ui/problem-note.tsx';
import { SubmitRow } from '../../ui/submit-row.tsx';
import { catalogueQuery, operatorModelsQuery, useSaveRoute } from './operator-queries.ts';
import { operatorTexts } from './operator-texts.ts';

type AddRouteProps = { isOpen: boolean; onClose: () => void };

export function AddRoute({ isOpen, onClose }: AddRouteProps) {
  const t = useTexts(operatorTexts);
  return (
    <Dialog opened={isOpen} onClose={onClose} title={t.addRoute}>
      <RouteForm onClose={onClose} />
    </Dialog>
  );
}

const engines = ['openai', 'vllm', 'sglang', 'llama-server', 'lmdeploy', 'tei'];

function RouteForm({ onClose }: { onClose: () => void }) {
  const t = useTexts(operatorTexts);
  const { optional } = useTexts(sharedTexts);
  const save = useSaveRoute();
  const installed = useQuery(operatorModelsQuery).data?.data ?? [];
  const catalogue = useQuery(catalogueQuery).data?.data ?? [];
  const models = [...new Set([...installed, ...catalogue].map(({ id }) => id))].sort();
  const needed = (text: string) => (text.trim() === '' ? t.missing : null);
  const form = useForm({
    initialValues: {
      name: '',
      model: '',
      url: '',
      api: 'openai',
      upstream: '',
      secret: '',
      capacity: '64',
      vision: false,
    },
    validate: { name: needed, model: needed, url: needed, capacity: needed },
  });
  const submit = form.onSubmit(({ name, model, url, api, upstream, secret, capacity, vision }) =>
    save.mutate(
      {
        name: name.trim(),
        body: {
          base_model_id: model,
          url: url.trim(),
          api,
          capacity: Number(capacity),
          vision,
          ...(upstream.trim() ? { upstream_model: upstream.trim() } : {}),
          ...(secret.trim() ? { secret_env: secret.trim() } : {}),
        },
      },
      {
        onSuccess: (route) => {
          notify({ tone: 'good', text: t.routeSaved(route.name) });
          onClose();
        },
      },
    ),
  );
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <TextInput label={t.routeName} data-autofocus {...form.getInputProps('name')} />
        <NativeSelect label={t.baseModel} data={['', ...models]} {...form.getInputProps('model')} />
        <TextInput label={t.url} description={t.urlHint} {...form.getInputProps('url')} />
        <NativeSelect label={t.api} data={engines} {...form.getInputProps('api')} />
        <TextInput label={`${t.upstream} (${optional})`} {...form.getInputProps('upstream')} />
        <TextInput label={`${t.secretEnv} (${optional})`} {...form.getInputProps('secret')} />
        <TextInput label={t.capacity} inputMode="numeric" {...form.getInputProps('capacity')} />
        <Checkbox label={t.vision} {...form.getInputProps('vision', { type: 'checkbox' })} />
        {save.error && <ProblemNote error={save.error} />}
        <SubmitRow action={t.addRoute} isBusy={save.isPending} onCancel={onClose} />
      </Stack>
    </form>
  );
}
