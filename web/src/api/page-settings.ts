function metaOf(name: string): HTMLMetaElement | null {
  return document.querySelector(`meta[name="${name}"]`);
}

/** The path under which a proxy serves the app, without a slash at the end; usually empty. */
export function basePath(): string {
  const content = metaOf('fanfold-base')?.content ?? '';
  // The development server leaves the placeholder.
  return content.startsWith('__') ? '' : content;
}

/** Whether the server saw no session when it served this page: then the app need not request it. */
export function isNobodySignedIn(): boolean {
  return metaOf('fanfold-session')?.content === 'none';
}

/** The nonce that the content security policy demands of styles. */
export function styleNonce(): string {
  return metaOf('fanfold-nonce')?.nonce ?? '';
}
