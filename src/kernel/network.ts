/**
 * The unit for which requests of one client are counted together. A household or server has 2^64 addresses of IPv6,
 * so its network counts, given by the first four groups of the address; an address of IPv4, also one that is mapped
 * into IPv6 (`::ffff:1.2.3.4`), counts for itself.
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
