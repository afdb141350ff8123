import { Text } from '@mantine/core';
import { useTexts } from '../../i18n/catalogue.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { CodeTabs } from '../projects/index.ts';
import { playgroundTexts } from './playground-texts.ts';
import { codeOf, type RequestCodeOptions } from './request-code.ts';

type CodeDialogProps = { isOpen: boolean; onClose: () => void; facts: RequestCodeOptions };

export function CodeDialog({ isOpen, onClose, facts }: CodeDialogProps) {
  const t = useTexts(playgroundTexts);
  return (
    <Dialog opened={isOpen} onClose={onClose} title={t.asCodeTitle} size="xl">
      <Text mb="sm">{t.asCodeText}</Text>
      <CodeTabs label={t.language} tabs={codeOf(facts)} />
    </Dialog>
  );
}
