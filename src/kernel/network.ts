/**
 * Whose tries or questions count together. One household or server has 2^64 addresses of IPv6: their network counts, which
 * is given by its four groups; an address of IPv4, also one in the clothes of IPv6, counts for itself.
 */
export function networkOf(address: string): string {
  const plain = address.toLowerCase().replace(/^::ffff:(?=\d+\.)/, '');
  if (!plain.includes(':')) return plain;
  const [head = '', tail = null] = plain.split('::');
  const groups = head === '' ? [] : head.split(':');
  // What `::` stands for is zeros; only how many of them fall into the first four groups matters.
  const behind = tail === null || tail === '' ? [] : tail.split(':');
  const zeros = tail === null ? [] : Array.from({ length: Math.max(0, 8 - groups.length - behind.length) }, () => '0');
  return [...groups, ...zeros, ...behind].slice(0, 4).join(':');
}
