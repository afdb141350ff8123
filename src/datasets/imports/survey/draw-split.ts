/**
 * The split of an example that does not say its own: drawn from the seed and its content, so that it is the same on every
 * day and in every order of rows, and equal contents never stand on both sides. `hashAt`: where the hash begins.
 */
export function drawSplit(
  hash: Buffer,
  { testRatio, splitSeed }: { testRatio: number; splitSeed: number },
  hashAt = 0,
): 'train' | 'test' {
  return mixed(hash.readUInt32LE(hashAt + 16) ^ mixed(splitSeed | 0)) / 2 ** 32 < testRatio ? 'test' : 'train';
}

/** A bijection of 32-bit words in which every bit depends on all (the finaliser of MurmurHash3). */
function mixed(word: number): number {
  let x = word;
  x = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
  return (x ^ (x >>> 16)) >>> 0;
}
