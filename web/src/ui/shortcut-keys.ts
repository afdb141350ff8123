/** Where letters are written, or mean something else. */
const fields =
  'input:not([type="checkbox"], [type="radio"]), textarea, select, [role="dialog"], [role="menu"], [role="listbox"]';

const keptUnder = 'fanfold.shortcuts';

export const openEvent = 'fanfold:shortcuts';

/** Shows the help about them. */
export function openShortcuts(): void {
  window.dispatchEvent(new Event(openEvent));
}

/** They can be switched off: some people speak to their computer. */
export function areShortcutsOn(): boolean {
  return localStorage.getItem(keptUnder) !== 'off';
}

export function keepShortcuts(isOn: boolean): void {
  localStorage.setItem(keptUnder, isOn ? 'on' : 'off');
}

/** Whether a key is a letter of a text, or belongs to what is open. */
export function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || target.closest(fields) !== null);
}
