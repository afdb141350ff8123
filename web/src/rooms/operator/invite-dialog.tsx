import { Button, Checkbox, Group, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTexts } from '../../i18n/catalogue.ts';
import { CopyIcon } from '../../ui/copy-button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ProblemNote } from '../../ui/problem-note.tsx';
import { SubmitRow } from '../../ui/submit-row.tsx';
import { useInvite } from './operator-queries.ts';
import { peopleTexts } from './people-texts.ts';

type InviteDialogProps = { isOpen: boolean; onClose: () => void };

export function InviteDialog({ isOpen, onClose }: InviteDialogProps) {
  const t = useTexts(peopleTexts);
  return (
    <Dialog opened={isOpen} onClose={onClose} title={t.inviteTitle}>
      <InviteForm onClose={onClose} />
    </Dialog>
  );
}

function InviteForm({ onClose }: { onClose: () => void }) {
  const t = useTexts(peopleTexts);
  const invite = useInvite();
  const form = useForm({ initialValues: { email: '', isOperator: false } });
  const submit = form.onSubmit(({ email, isOperator }) =>
    invite.mutate({ email: email.trim() || null, role: isOperator ? 'admin' : 'user' }),
  );
  if (invite.data)
    return (
      <Stack gap="md">
        <Group align="flex-end" gap="xs" wrap="nowrap">
          <TextInput
            label={t.link}
            description={t.linkOnce}
            value={invite.data.link}
            readOnly
            flex={1}
            data-autofocus
          />
          <CopyIcon text={invite.data.link} label={t.copyLink} />
        </Group>
        <Group justify="flex-end">
          <Button onClick={onClose}>{t.done}</Button>
        </Group>
      </Stack>
    );
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          {t.inviteText}
        </Text>
        <TextInput
          label={t.email}
          description={t.emailHint}
          type="email"
          data-autofocus
          {...form.getInputProps('email')}
        />
        <Checkbox label={t.asOperator} {...form.getInputProps('isOperator', { type: 'checkbox' })} />
        {invite.error && <ProblemNote error={invite.error} />}
        <SubmitRow action={t.createLink} isBusy={invite.isPending} onCancel={onClose} />
      </Stack>
    </form>
  );
}
