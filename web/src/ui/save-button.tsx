import { Button } from '@mantine/core';
import { useTexts } from '../i18n/catalogue.ts';
import { sharedTexts } from '../i18n/shared-texts.ts';

type SaveButtonProps = { isBusy: boolean; isChanged: boolean };

/** Looks disabled when nothing was changed, but can keep the focus. */
export function SaveButton({ isBusy, isChanged }: SaveButtonProps) {
  const t = useTexts(sharedTexts);
  const idle = isChanged ? {} : { 'data-disabled': true, 'aria-disabled': true };
  return (
    <Button type="submit" loading={isBusy} {...idle}>
      {t.save}
    </Button>
  );
}
