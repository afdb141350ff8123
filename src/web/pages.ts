/**
 * First segments of the addresses of the app's pages; `web/src/app/rooms.ts` has the pages themselves, and a test
 * compares both. Other addresses are answered as pages only when a browser asks, and then with 404.
 */
export const pages = [
  'account',
  'activity',
  'credits',
  'guides',
  'join',
  'keys',
  'models',
  'operator',
  'projects',
  'requests',
  'sign-in',
  'sign-up',
] as const;
