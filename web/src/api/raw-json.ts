/**
 * For browsers without `JSON.rawJSON` (Firefox before 135, Safari before 18.4): such a number is written as a string
 * with a marker, and then the quotes and the marker are removed.
 */
export function supplyRawJson(): void {
  const marker = `number ${crypto.getRandomValues(new Uint32Array(4)).join('-')} `;
  const marked = new RegExp(`"${marker}([^"]*)"`, 'g');
  const { stringify } = JSON;
  class RawNumber {
    readonly rawJSON: string;
    constructor(text: string) {
      this.rawJSON = text;
    }
    toJSON(): string {
      return marker + this.rawJSON;
    }
  }
  Object.assign(JSON, {
    rawJSON: (text: string) => new RawNumber(text),
    isRawJSON: (value: unknown) => value instanceof RawNumber,
    // Undefined for values that JSON does not have.
    stringify: (...parameters: Parameters<typeof stringify>) =>
      (stringify(...parameters) as string | undefined)?.replaceAll(marked, '$1'),
  });
}
