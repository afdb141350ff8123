import { Modal, type ModalProps } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useTexts } from '../i18n/catalogue.ts';
import { sharedTexts } from '../i18n/shared-texts.ts';

export type DialogProps = Pick<ModalProps, 'opened' | 'onClose' | 'title' | 'children' | 'size'> & {
  /** Clicks beside it and Escape do not close it: what it shows would be lost. */
  isFirm?: boolean;
};

/** The head of a dialog is no landmark beside that of the page. */
export const plainHeader = { header: { role: 'none' } };

/**
 * One that is open from its first moment opens in its second: only when it sees itself open does the library keep where
 * the focus came from.
 */
export function useOpened(isOpen: boolean): boolean {
  const [isThere, setThere] = useState(false);
  useEffect(() => setThere(true), []);
  return isOpen && isThere;
}

/** A dialog: takes the focus, keeps it, and gives it back. */
export function Dialog({ isFirm = false, opened, ...props }: DialogProps) {
  const t = useTexts(sharedTexts);
  return (
    <Modal
      {...props}
      opened={useOpened(opened)}
      closeOnClickOutside={!isFirm}
      closeOnEscape={!isFirm}
      withCloseButton={!isFirm}
      closeButtonProps={{ 'aria-label': t.close }}
      attributes={plainHeader}
      transitionProps={{ duration: 120 }}
    />
  );
}
