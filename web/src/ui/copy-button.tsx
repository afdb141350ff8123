import { ActionIcon, Button, Tooltip } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useTexts } from '../i18n/catalogue.ts';
import { sharedTexts } from '../i18n/shared-texts.ts';
import { copyText } from './clipboard.ts';
import { IconCheck, IconCopy } from './icons.tsx';
import { notify } from './notify.tsx';

const shownMs = 2_000;

function useCopy(text: string) {
  const t = useTexts(sharedTexts);
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), shownMs);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = async () => {
    if (await copyText(text)) setCopied(true);
    else notify({ tone: 'bad', text: t.copyFailed });
  };
  return { isCopied, copy, t };
}

/** `label` names the copied text for screen readers. */
type CopyProps = { text: string; label: string };

export function CopyIcon({ text, label }: CopyProps) {
  const { isCopied, copy, t } = useCopy(text);
  return (
    <Tooltip label={isCopied ? t.copied : label} openDelay={isCopied ? 0 : 300}>
      <ActionIcon aria-label={isCopied ? t.copied : label} onClick={copy} size="md" color={isCopied ? 'pine' : 'gray'}>
        {isCopied ? <IconCheck size={16} /> : <IconCopy size={16} />}
      </ActionIcon>
    </Tooltip>
  );
}

export function CopyButton({ text, label, isMain = false }: CopyProps & { isMain?: boolean }) {
  const { isCopied, copy, t } = useCopy(text);
  return (
    <Button
      variant={isMain ? 'filled' : 'default'}
      aria-label={isCopied ? t.copied : label}
      leftSection={isCopied ? <IconCheck size={16} /> : <IconCopy size={16} />}
      onClick={copy}
      data-autofocus={isMain || undefined}
    >
      {isCopied ? t.copied : t.copy}
    </Button>
  );
}
