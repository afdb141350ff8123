/** Elements where letters are typed, or have another meaning. */
const fields =
  'input:not([type="checkbox"], [type="radio"]), textarea, select, [role="dialog"], [role="menu"], [role="listbox"]';

const storageKey = 'fanfold.shortcuts';

export const openEvent = 'fanfold:shortcuts';

export function openShortcuts(): void {
  window.dispatchEvent(new Event(openEvent));
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
