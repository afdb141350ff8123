import { Button, Divider } from '@mantine/core';
import { useTexts } from '../../i18n/catalogue.ts';
import { IconLogin } from '../../ui/icons.tsx';
import { ProblemNote } from '../../ui/problem-note.tsx';
import { useRedirectToProvider } from './sign-in-queries.ts';
import { signInTexts } from './sign-in-texts.ts';

type ProviderProps = { name: string; next: string | undefined };

export function ProviderButton({ name, next }: ProviderProps) {
  const t = useTexts(signInTexts);
  const depart = useRedirectToProvider(next);
  return (
    <>
      <Button
        variant="default"
        fullWidth
        size="md"
        leftSection={<IconLogin />}
        // Until the browser has left the page.
        loading={depart.isPending || depart.isSuccess}
        onClick={() => depart.mutate()}
      >
        {t.with(name)}
      </Button>
      {depart.error && <ProblemNote error={depart.error} />}
    </>
  );
}

export function ProviderFirst({ name, next }: ProviderProps) {
  const t = useTexts(signInTexts);
  return (
    <>
      <ProviderButton name={name} next={next} />
      <Divider label={t.or} />
    </>
  );
}
