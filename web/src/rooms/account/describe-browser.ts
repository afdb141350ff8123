/** Browsers in the order to look for them: most also carry the names of others. */
const browsers: readonly [RegExp, string][] = [
  [/\bEdg(?:A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS)\//, 'Chrome'],
  [/\bVersion\/.*\bSafari\//, 'Safari'],
];

const systems: readonly [RegExp, string][] = [
  [/\b(?:iPhone|iPod)\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];

const nameIn = (userAgent: string, names: readonly [RegExp, string][]) =>
  names.find(([pattern]) => pattern.test(userAgent))?.[1];

/** A user agent for people: “Firefox, Linux”. Of a program that is no known browser, its first product: `curl/8.14.1`. */
export function describeBrowser(userAgent: string): string {
  const parts = [nameIn(userAgent, browsers), nameIn(userAgent, systems)].filter((part) => part !== undefined);
  return parts.length > 0 ? parts.join(', ') : (userAgent.split(' ', 1)[0] ?? userAgent).slice(0, 60);
}
