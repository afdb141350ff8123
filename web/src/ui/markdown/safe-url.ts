/** Links of a model that may be followed: absolute, on the web or to a mailbox. Null for all others. */
export function safeUrl(url: string): string | null {
  return /^(https?:\/\/|mailto:)/i.test(url) ? url : null;
}
