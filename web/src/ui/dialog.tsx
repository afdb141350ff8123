import { Modal, type ModalProps } from '@mantine/core';
import { type ReactNode, useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from 'react';
import { useTexts } from '../i18n/catalogue.ts';
import { sharedTexts } from '../i18n/shared-texts.ts';
import { focusTitle } from './focus-title.ts';
import { LeaveQuestion } from './leave-question.tsx';
import { plainHeader } from './plain-header.ts';

export type DialogProps = Pick<ModalProps, 'opened' | 'onClose' | 'title' | 'children' | 'size'> & {
  /** Clicks beside it and Escape do not close it: what it shows would be lost. */
  isFirm?: boolean;
  /** Nothing is lost when it closes: what is written in it is kept elsewhere, or nobody would miss it. */
  isLossless?: boolean;
  /** It is out of sight: what it showed can be forgotten. */
  onGone?: () => void;
};

/**
 * One that is open from its first moment opens in its second: only when it sees itself open does the library keep where
 * the focus came from.
 */
export function useOpened(isOpen: boolean): boolean {
  const [isThere, setThere] = useState(false);
  useEffect(() => setThere(true), []);
  return isOpen && isThere;
}

/**
 * A dialog: takes the focus, keeps it, and gives it back. Once something was written in it, a click beside it does nothing,
 * and Escape asks first.
 */
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
  const [isAsking, setAsking] = useState(false);
  // Before the library keeps where the focus came from.
  useLayoutEffect(() => {
    if (opened) leaveMenu();
  }, [opened]);
  const close = () => {
    // Later than the Escape that asks for it: the library would close the question by the same one.
    if (isWritten && !isLossless) setTimeout(() => setAsking(true));
    else onClose();
  };
  return (
    <Modal
      {...props}
      opened={useOpened(opened)}
      closeOnClickOutside={!isFirm && !isWritten}
      onClose={close}
      closeOnEscape={!isFirm && !isAsking}
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
          setAsking(false);
          onGone?.();
        }}
      >
        {children}
        <LeaveQuestion
          isOpen={isAsking}
          onStay={() => setAsking(false)}
          onLeave={() => {
            setAsking(false);
            onClose();
          }}
        />
      </Inside>
    </Modal>
  );
}

/** An item of a menu goes with the menu: the focus comes back to the button that the menu belongs to. */
function leaveMenu(): void {
  const menu = document.activeElement?.closest('[role="menu"]');
  const button = document.getElementById(menu?.getAttribute('aria-labelledby') ?? '');
  button?.focus({ preventScroll: true });
}

/** Later than the library gives the focus back. */
const goneMs = 50;

type InsideProps = { isOpen: boolean; onWrite: () => void; onGone: () => void; children: ReactNode };

/** The library gives the focus to what is there when a dialog opens; here it goes to what comes later and asks for it. */
function Inside({ isOpen, onWrite, onGone, children }: InsideProps) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = box.current;
    if (!isOpen || !element) return;
    const find = () => element.querySelector<HTMLElement>('[data-autofocus]');
    let known = find();
    const observer = new MutationObserver(() => {
      const wanted = find();
      if (wanted && wanted !== known && !element.contains(document.activeElement)) wanted.focus();
      known = wanted;
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
