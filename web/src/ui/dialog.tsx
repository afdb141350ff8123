import { Modal, type ModalProps } from '@mantine/core';
import { useTexts } from '../i18n/catalogue.ts';
import { sharedTexts } from '../i18n/shared-texts.ts';

export type DialogProps = Pick<ModalProps, 'opened' | 'onClose' | 'title' | 'children' | 'size'> & {
  /** Clicks beside it and Escape do not close it: what it shows would be lost. */
  isFirm?: boolean;
};

/** The head of a dialog is no landmark beside that of the page. */
export const plainHeader = { header: { role: 'none' } };

/** A dialog: takes the focus, keeps it, and gives it back. */
export function Dialog({ isFirm = false, ...props }: DialogProps) {
  const t = useTexts(sharedTexts);
  return (
    <Modal
      {...props}
      closeOnClickOutside={!isFirm}
      closeOnEscape={!isFirm}
      withCloseButton={!isFirm}
      closeButtonProps={{ 'aria-label': t.close }}
      attributes={plainHeader}
      transitionProps={{ duration: 120 }}
    />
  );
}
