import { Button, Group, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { IconTrash, IconX } from '../../ui/icons.tsx';
import { notify } from '../../ui/notify.tsx';
import { useCancelIndex, useDeleteIndex } from './indexes-changes.ts';
import { type Index, type IndexPath, isInProgress } from './indexes-queries.ts';
import { indexesTexts } from './indexes-texts.ts';

export function IndexActions({ at, index }: { at: IndexPath; index: Index }) {
  const t = useTexts(indexesTexts);
  const [open, setOpen] = useState<'cancel' | 'remove' | null>(null);
  const close = () => setOpen(null);
  return (
    <Group gap="xs">
      {isInProgress(index) && (
        <Button variant="default" leftSection={<IconX size={16} />} onClick={() => setOpen('cancel')}>
          {t.cancel}
        </Button>
      )}
      <Button variant="default" leftSection={<IconTrash size={16} />} onClick={() => setOpen('remove')}>
        {t.remove}
      </Button>
      <Cancel at={at} isOpen={open === 'cancel'} onClose={close} />
      <Remove at={at} isOpen={open === 'remove'} onClose={close} />
    </Group>
  );
}

type DialogProps = { at: IndexPath; isOpen: boolean; onClose: () => void };

function Cancel({ at, ...dialog }: DialogProps) {
  const t = useTexts(indexesTexts);
  const cancel = useCancelIndex(at);
  return (
    <Confirm
      {...dialog}
      title={t.cancelTitle}
      action={t.cancelDo}
      isBusy={cancel.isPending}
      error={cancel.error}
      onConfirm={() => cancel.mutate(undefined, { onSuccess: dialog.onClose })}
    >
      <Text>{t.cancelText}</Text>
    </Confirm>
  );
}

function Remove({ at, ...dialog }: DialogProps) {
  const t = useTexts(indexesTexts);
  const navigate = useNavigate();
  const { index: _index, ...params } = at;
  const remove = useDeleteIndex(at, () => {
    notify({ tone: 'good', text: t.removed });
    void navigate({ to: '/projects/$owner/$project/data/$dataset/indexes', params });
  });
  return (
    <Confirm
      {...dialog}
      title={t.removeTitle}
      action={t.remove}
      isBusy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate()}
    >
      <Text>{t.removeText}</Text>
    </Confirm>
  );
}
