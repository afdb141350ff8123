import { PasswordInput, type PasswordInputProps } from '@mantine/core';
import { useTexts } from '../i18n/catalogue.ts';
import { sharedTexts } from '../i18n/shared-texts.ts';

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
