import { Drawer } from '@mantine/core';
import { useRef } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { sharedTexts } from '../../i18n/shared-texts.ts';
import { useOpened } from '../../ui/dialog.tsx';
import { plainHeader } from '../../ui/plain-header.ts';
import { focusFirstInvalid } from './focus-first-invalid.ts';
import { playgroundTexts } from './playground-texts.ts';
import type { ChatSettings, Choice } from './settings.ts';
import { SettingsPanel } from './settings-panel.tsx';

type SettingsDrawerProps = {
  isOpen: boolean;
  onClose: () => void;
  choice: Choice;
  settings: ChatSettings;
  onChange: (settings: ChatSettings) => void;
};

/** It stays open while a setting is invalid, so that nothing is sent with another one than is shown. */
export function SettingsDrawer({ isOpen, onClose, ...props }: SettingsDrawerProps) {
  const t = useTexts(playgroundTexts);
  const { close } = useTexts(sharedTexts);
  const panel = useRef<HTMLDivElement>(null);
  return (
    <Drawer
      opened={useOpened(isOpen)}
      onClose={() => !focusFirstInvalid(panel.current) && onClose()}
      position="right"
      size={400}
      title={t.settings}
      closeButtonProps={{ 'aria-label': close }}
      attributes={plainHeader}
      transitionProps={{ duration: 150 }}
    >
      <SettingsPanel ref={panel} {...props} />
    </Drawer>
  );
}
