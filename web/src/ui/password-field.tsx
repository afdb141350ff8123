import { PasswordInput, type PasswordInputProps } from '@mantine/core';
import { useTexts } from '../i18n/catalogue.ts';
import { sharedTexts } from '../i18n/shared-texts.ts';

/** A password, which can be shown: also by whoever uses the keyboard. */
export function PasswordField(props: PasswordInputProps) {
  const t = useTexts(sharedTexts);
  return (
    <PasswordInput
      visibilityToggleFocusable
      visibilityToggleButtonProps={{ 'aria-label': t.showPassword }}
      {...props}
    />
  );
}
