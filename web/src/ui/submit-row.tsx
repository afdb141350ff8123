import { Button, Group } from '@mantine/core';
import { useTexts } from '../i18n/catalogue.ts';
import { sharedTexts } from '../i18n/shared-texts.ts';

type SubmitRowProps = {
  /** Label of the button. */
  action: string;
  isBusy: boolean;
  disabled?: boolean;
  onCancel: () => void;
};

export function SubmitRow({ action, isBusy, disabled = false, onCancel }: SubmitRowProps) {
  const t = useTexts(sharedTexts);
  return (
    <Group justify="flex-end" gap="xs">
      <Button variant="default" onClick={onCancel}>
        {t.cancel}
      </Button>
      <Button type="submit" loading={isBusy} disabled={disabled}>
        {action}
      </Button>
    </Group>
  );
}
