/** What a version is called, everywhere and in every language. */
export const versionName = (number: number): string => `v${number}`;
