declare global {
  interface Window {
    /** By address: requests that `index.html` started before the app ran (`tools/early-loads.ts`). */
    fanfoldEarly?: Record<string, Promise<Response>>;
  }
}

/** Uses the response that the page requested early, if there is one. */
export function fetchWithEarlyResponse(address: string, options: RequestInit): Promise<Response> {
  const early = window.fanfoldEarly?.[address];
  if (!early) return fetch(address, options);
  delete window.fanfoldEarly?.[address];
  return early;
}

/** Early responses that nobody used would be out of date later. */
export function discardEarlyResponses(): void {
  delete window.fanfoldEarly;
}
