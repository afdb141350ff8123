/** Elements where letters are typed, or have another meaning. */
const fields =
  'input:not([type="checkbox"], [type="radio"]), textarea, select, [role="dialog"], [role="menu"], [role="listbox"]';

const storageKey = 'fanfold.shortcuts';

export const openEvent = 'fanfold:shortcuts';
export const paletteEvent = 'fanfold:palette';

export function openShortcuts(): void {
  window.dispatchEvent(new Event(openEvent));
}

export function openPalette(): void {
  window.dispatchEvent(new Event(paletteEvent));
}

/** Apple keyboards have other keys; in fields their Ctrl-K deletes text. */
const isApple = /Mac|iP(hone|ad)/.test(navigator.platform);

export const paletteKeys = [isApple ? '⌘' : 'Ctrl', 'K'] as const;

export function isPaletteKey({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): boolean {
  const [wanted, other] = isApple ? [metaKey, ctrlKey] : [ctrlKey, metaKey];
  return key.toLowerCase() === 'k' && wanted && !other && !altKey && !shiftKey;
}

/** They can be switched off, for people who use speech input. */
export function areShortcutsOn(): boolean {
  return localStorage.getItem(storageKey) !== 'off';
}

export function keepShortcuts(isOn: boolean): void {
  localStorage.setItem(storageKey, isOn ? 'on' : 'off');
}

/** Whether a key is input, or belongs to an open dialog or menu. */
export function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || target.closest(fields) !== null);
}
