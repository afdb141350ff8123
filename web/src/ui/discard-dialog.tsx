import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useTexts } from '../i18n/catalogue.ts';
import { sharedTexts } from '../i18n/shared-texts.ts';
import { plainHeader } from './plain-header.ts';

type DiscardDialogProps = { isOpen: boolean; onStay: () => void; onLeave: () => void };

/** Asks before a dialog with input closes. */
export function DiscardDialog({ isOpen, onStay, onLeave }: DiscardDialogProps) {
  const t = useTexts(sharedTexts);
  return (
    <Modal
      opened={isOpen}
      onClose={onStay}
      title={t.leaveTitle}
      size="sm"
      withCloseButton={false}
      attributes={plainHeader}
      transitionProps={{ duration: 120 }}
    >
      <Stack gap="md">
        <Text>{t.leaveText}</Text>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onStay} data-autofocus>
            {t.goOnWriting}
          </Button>
          <Button color="rust" onClick={onLeave}>
            {t.discard}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
