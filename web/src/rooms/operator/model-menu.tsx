import { ActionIcon, Checkbox, Menu, NativeSelect, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { isProblem } from '../../api/problem.ts';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { sharedTexts } from '../../i18n/shared-texts.ts';
import { AsyncBoundary } from '../../ui/async-boundary.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { IconCube, IconDots, IconSettings, IconTrash } from '../../ui/icons.tsx';
import { notify } from '../../ui/notify.tsx';
import { ProblemNote } from '../../ui/problem-note.tsx';
import { SubmitRow } from '../../ui/submit-row.tsx';
import { modelsTexts } from './models-texts.ts';
import { modelDetailsQuery, type OperatorModel, useRemoveModel, useSetModel } from './operator-queries.ts';
import { useBytes } from './use-bytes.ts';
import { UseModel } from './use-model.tsx';

type Open = 'settings' | 'use' | 'remove' | null;

export function ModelMenu({ model: { id, from } }: { model: OperatorModel }) {
  const t = useTexts(modelsTexts);
  const { moreFor } = useTexts(sharedTexts);
  const [open, setOpen] = useState<Open>(null);
  const close = () => setOpen(null);
  return (
    <>
      <Menu position="bottom-end" width={220}>
        <Menu.Target>
          <ActionIcon aria-label={moreFor(id)}>
            <IconDots />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconCube size={16} />} onClick={() => setOpen('use')}>
            {t.use} …
          </Menu.Item>
          <Menu.Item leftSection={<IconSettings size={16} />} onClick={() => setOpen('settings')}>
            {t.settings} …
          </Menu.Item>
          {from !== 'shipped' && (
            <Menu.Item color="rust" leftSection={<IconTrash size={16} />} onClick={() => setOpen('remove')}>
              {t.remove} …
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      <UseModel id={id} isOpen={open === 'use'} onClose={close} />
      <Dialog opened={open === 'settings'} onClose={close} title={t.settingsOf(id)}>
        <AsyncBoundary skeleton={<Skeleton height={260} />}>
          <SettingsForm id={id} onClose={close} />
        </AsyncBoundary>
      </Dialog>
      <Remove id={id} isOpen={open === 'remove'} onClose={close} />
    </>
  );
}

const kvTypes = ['f16', 'q8_0', 'q4_0'] as const;

function SettingsForm({ id, onClose }: { id: string; onClose: () => void }) {
  const t = useTexts(modelsTexts);
  const format = useFormat();
  const bytes = useBytes();
  const { data } = useSuspenseQuery(modelDetailsQuery(id));
  const set = useSetModel(id);
  const { context, sequences, kv, runs_on, options } = data;
  const form = useForm({
    initialValues: {
      context: context.chosen_by === 'operator' ? String(context.tokens) : '',
      sequences: sequences === null ? '' : String(sequences),
      kv,
    },
    validate: {
      context: (text) => (/^\d*$/.test(text.trim()) ? null : t.numberWrong),
      sequences: (text) => (/^\d*$/.test(text.trim()) ? null : t.numberWrong),
    },
  });
  const numberOf = (text: string) => (text.trim() === '' ? null : Number(text));
  const submit = form.onSubmit((values) =>
    set.mutate(
      { context_tokens: numberOf(values.context), sequences: numberOf(values.sequences), kv: values.kv },
      {
        onSuccess: ({ context: { tokens } }) => {
          notify({ tone: 'good', text: t.isSet(format.number(tokens)) });
          onClose();
        },
      },
    ),
  );
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          {t.nowHas(format.number(context.tokens), runs_on ?? '–')}
        </Text>
        <TextInput
          label={t.contextTokens}
          description={context.supported_tokens === null ? t.auto : t.autoUpTo(format.number(context.supported_tokens))}
          inputMode="numeric"
          {...form.getInputProps('context')}
        />
        <TextInput label={t.atOnce} description={t.auto} inputMode="numeric" {...form.getInputProps('sequences')} />
        <NativeSelect label={t.kv} data={[...kvTypes]} {...form.getInputProps('kv')} />
        {options.length > 0 && (
          <Text size="sm" c="dimmed">
            {options
              .map((option) =>
                t.needsAt(
                  format.number(option.sequences),
                  bytes(option.needed.memory_bytes + option.needed.vram_bytes),
                  option.fits,
                ),
              )
              .join(' ')}
          </Text>
        )}
        {set.error && <ProblemNote error={set.error} />}
        <SubmitRow action={t.set} isBusy={set.isPending} onCancel={onClose} />
      </Stack>
    </form>
  );
}

function Remove({ id, isOpen, onClose }: { id: string; isOpen: boolean; onClose: () => void }) {
  const t = useTexts(modelsTexts);
  const remove = useRemoveModel(id);
  const [isForced, setForced] = useState(false);
  const isUsed = isProblem(remove.error, 'in_use');
  return (
    <Confirm
      isOpen={isOpen}
      onClose={onClose}
      title={t.removeTitle(id)}
      action={t.remove}
      isBusy={remove.isPending}
      error={remove.error}
      onConfirm={() =>
        remove.mutate(isForced, {
          onSuccess: () => {
            notify({ tone: 'good', text: t.removed(id) });
            onClose();
          },
        })
      }
    >
      <Text>{t.removeText}</Text>
      {isUsed && (
        <Checkbox
          mt="sm"
          label={t.force}
          checked={isForced}
          onChange={(event) => setForced(event.currentTarget.checked)}
        />
      )}
    </Confirm>
  );
}
