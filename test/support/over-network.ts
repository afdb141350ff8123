/** The address of an embedded database without its socket: for other hosts, and where its folder may move. */
export function overNetwork(url: string): string {
  const result = new URL(url);
  result.searchParams.delete('host');
  return result.href;
}
