import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { type ImportPath, useCancelImport } from './imports-queries.ts';
import { importsTexts } from './imports-texts.ts';

export function CancelImport({ at }: { at: ImportPath }) {
  const t = useTexts(importsTexts);
  const [isConfirming, setConfirming] = useState(false);
  const close = () => setConfirming(false);
  const cancel = useCancelImport(at, close);
  return (
    <>
      <Button variant="subtle" color="rust" onClick={() => setConfirming(true)}>
        {t.cancel}
      </Button>
      <Confirm
        isOpen={isConfirming}
        onClose={close}
        title={t.cancelTitle}
        action={t.cancel}
        isBusy={cancel.isPending}
        error={cancel.error}
        onConfirm={() => cancel.mutate()}
      >
        <Text>{t.cancelText}</Text>
      </Confirm>
    </>
  );
}
