import { Button } from '@mantine/core';
import { useTexts } from '../i18n/catalogue.ts';
import { sharedTexts } from '../i18n/shared-texts.ts';

type SaveButtonProps = { isBusy: boolean; isChanged: boolean };

/** Of a form that stays where it is. Where there is nothing to save it looks so, but keeps the focus: one goes on from there. */
export function SaveButton({ isBusy, isChanged }: SaveButtonProps) {
  const t = useTexts(sharedTexts);
  const idle = isChanged ? {} : { 'data-disabled': true, 'aria-disabled': true };
  return (
    <Button type="submit" loading={isBusy} {...idle}>
      {t.save}
    </Button>
  );
}
