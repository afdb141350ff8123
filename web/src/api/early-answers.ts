declare global {
  interface Window {
    /** By their addresses: what the page asked for before the app ran (`tools/early-loads.ts`). */
    fanfoldEarly?: Record<string, Promise<Response>>;
  }
}

/** Asks for something, unless the page has done so already. */
export function fetchOnce(address: string, options: RequestInit): Promise<Response> {
  const early = window.fanfoldEarly?.[address];
  if (!early) return fetch(address, options);
  delete window.fanfoldEarly?.[address];
  return early;
}

/** What nobody has come for by now is old when somebody does. */
export function forgetEarlyAnswers(): void {
  delete window.fanfoldEarly;
}
