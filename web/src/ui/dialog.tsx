import { Modal, type ModalProps } from '@mantine/core';
import { type ReactNode, useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from 'react';
import { useTexts } from '../i18n/catalogue.ts';
import { sharedTexts } from '../i18n/shared-texts.ts';
import { DiscardDialog } from './discard-dialog.tsx';
import { focusTitle } from './focus-title.ts';
import { plainHeader } from './plain-header.ts';

export type DialogProps = Pick<ModalProps, 'opened' | 'onClose' | 'title' | 'children' | 'size'> & {
  /** Clicks outside and Escape do not close it, as its content would be lost. */
  isFirm?: boolean;
  /** Nothing is lost when it closes. */
  isLossless?: boolean;
  /** Called after it has closed. */
  onGone?: () => void;
};

/** Opens in the second render: the library stores the previous focus only when it sees a change. */
export function useOpened(isOpen: boolean): boolean {
  const [isThere, setThere] = useState(false);
  useEffect(() => setThere(true), []);
  return isOpen && isThere;
}

/** A modal dialog. Once something was typed in it, clicks outside do nothing and Escape asks first. */
export function Dialog({
  isFirm = false,
  isLossless = false,
  opened,
  onClose,
  onGone,
  children,
  ...props
}: DialogProps) {
  const t = useTexts(sharedTexts);
  const [isWritten, setWritten] = useState(false);
  const [isConfirming, setConfirming] = useState(false);
  // Before the library stores the previous focus.
  useLayoutEffect(() => {
    if (opened) leaveMenu();
  }, [opened]);
  const close = () => {
    // Later, so that the same Escape does not close the question.
    if (isWritten && !isLossless) setTimeout(() => setConfirming(true));
    else onClose();
  };
  return (
    <Modal
      {...props}
      opened={useOpened(opened)}
      closeOnClickOutside={!isFirm && !isWritten}
      onClose={close}
      closeOnEscape={!isFirm && !isConfirming}
      withCloseButton={!isFirm}
      closeButtonProps={{ 'aria-label': t.close }}
      attributes={plainHeader}
      transitionProps={{ duration: 120 }}
    >
      <Inside
        isOpen={opened}
        onWrite={() => setWritten(true)}
        onGone={() => {
          setWritten(false);
          setConfirming(false);
          onGone?.();
        }}
      >
        {children}
        <DiscardDialog
          isOpen={isConfirming}
          onStay={() => setConfirming(false)}
          onLeave={() => {
            setConfirming(false);
            onClose();
          }}
        />
      </Inside>
    </Modal>
  );
}

/** The menu closes with its item: the focus returns to the button of the menu. */
function leaveMenu(): void {
  const menu = document.activeElement?.closest('[role="menu"]');
  const button = document.getElementById(menu?.getAttribute('aria-labelledby') ?? '');
  button?.focus({ preventScroll: true });
}

/** After the library has restored the focus. */
const goneMs = 50;

type InsideProps = { isOpen: boolean; onWrite: () => void; onGone: () => void; children: ReactNode };

/** The library focuses what exists when the dialog opens; here later content with `data-autofocus` gets the focus. */
function Inside({ isOpen, onWrite, onGone, children }: InsideProps) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = box.current;
    if (!isOpen || !element) return;
    const find = () => element.querySelector<HTMLElement>('[data-autofocus]');
    let current = find();
    const observer = new MutationObserver(() => {
      const next = find();
      if (next && next !== current && !element.contains(document.activeElement)) next.focus();
      current = next;
    });
    observer.observe(element, { childList: true, subtree: true });
    return () => observer.disconnect();
  }, [isOpen]);
  const leave = useEffectEvent(onGone);
  useEffect(
    () => () => {
      leave();
      setTimeout(focusTitle, goneMs);
    },
    [],
  );
  return (
    <div ref={box} onInput={onWrite}>
      {children}
    </div>
  );
}
