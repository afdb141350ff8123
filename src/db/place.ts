/** Host, port and database of a URL, never its password. */
export function placeOf(url: string): string {
  const { hostname, port, pathname } = new URL(url);
  return `${hostname || 'local socket'}${port ? `:${port}` : ''}${pathname}`;
}
