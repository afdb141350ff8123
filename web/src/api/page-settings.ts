function metaOf(name: string): HTMLMetaElement | null {
  return document.querySelector(`meta[name="${name}"]`);
}

/** Where a proxy shows the service, without a slash at the end; usually nothing. */
export function basePath(): string {
  const content = metaOf('fanfold-base')?.content ?? '';
  // The development server leaves the mark in its place.
  return content.startsWith('__') ? '' : content;
}

/** Whether the server saw no session when it gave out this page: then it need not be asked. */
export function isNobodySignedIn(): boolean {
  return metaOf('fanfold-session')?.content === 'none';
}

/** What a style must carry to be let in by the content security policy. */
export function styleNonce(): string {
  return metaOf('fanfold-nonce')?.nonce ?? '';
}
