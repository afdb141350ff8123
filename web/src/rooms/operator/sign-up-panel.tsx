import { Button, Group, NativeSelect, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useSuspenseQuery } from '@tanstack/react-query';
import type { ResponseOf } from '../../api/call.ts';
import { useTexts } from '../../i18n/catalogue.ts';
import { notify } from '../../ui/notify.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ProblemNote } from '../../ui/problem-note.tsx';
import { signUpQuery, useChangeSignUp } from './operator-queries.ts';
import { peopleTexts } from './people-texts.ts';

type Policy = ResponseOf<'GET /api/v1/operator/sign-up'>['policy'];
const policies: readonly Policy[] = ['closed', 'oidc', 'open'];

/** Opens or closes sign-up, and sets what a new account begins with. */
export function SignUpPanel() {
  const t = useTexts(peopleTexts);
  const { data } = useSuspenseQuery(signUpQuery);
  const change = useChangeSignUp();
  const form = useForm({
    initialValues: { policy: data.policy, credits: data.credits.replace(/\.?0+$/, '') || '0' },
    validate: { credits: (text) => (/^\d{1,12}(\.\d{1,6})?$/.test(text.trim()) ? null : t.numberWrong) },
  });
  const submit = form.onSubmit(({ policy, credits }) =>
    change.mutate(
      { policy, credits: credits.trim() },
      { onSuccess: () => notify({ tone: 'good', text: t.signUpSaved }) },
    ),
  );
  return (
    <Panel title={t.signUp} text={t.signUpText}>
      <form onSubmit={submit} noValidate>
        <Group align="flex-end">
          <NativeSelect
            label={t.signUp}
            data={policies.map((value) => ({ value, label: t.policies[value] }))}
            {...form.getInputProps('policy')}
          />
          <TextInput label={t.startCredits} inputMode="decimal" {...form.getInputProps('credits')} />
          <Button type="submit" loading={change.isPending}>
            {t.save}
          </Button>
        </Group>
        {change.error && <ProblemNote error={change.error} />}
      </form>
    </Panel>
  );
}
