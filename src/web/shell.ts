import { createHash, randomBytes } from 'node:crypto';

/** The page that the app starts in, for every address. */
export type Shell = {
  /** With a fresh nonce each time: it must not be kept by anybody. */
  render: (visitor: Visitor) => { html: string; policy: string };
};

/** What is known of whoever opens the page. Without a session the app need not ask whose it is. */
export type Visitor = { hasSession: boolean };

const nonceMark = '__NONCE__';
const baseMark = '__BASE__';
const sessionMark = '__SESSION__';

/**
 * @param template - `index.html` of the build, whose addresses are relative.
 * @param basePath - where a proxy shows the service, without a slash at the end; usually nothing.
 */
export function createShell(template: string, basePath: string): Shell {
  const page = template.replaceAll('="./', `="${basePath}/`).replaceAll(baseMark, basePath);
  const scripts = [...page.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(([, code = '']) => hashOf(code));
  return {
    render({ hasSession }) {
      const nonce = randomBytes(16).toString('base64');
      const html = page.replaceAll(nonceMark, nonce).replaceAll(sessionMark, hasSession ? 'some' : 'none');
      return { html, policy: policyOf(scripts, nonce) };
    },
  };
}

/** Scripts of our own files and the one in the page; styles of our own files and those that the library adds, with the nonce. */
function policyOf(scripts: readonly string[], nonce: string): string {
  return [
    "default-src 'none'",
    `script-src ${["'self'", ...scripts].join(' ')}`,
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

function hashOf(code: string): string {
  return `'sha256-${createHash('sha256').update(code).digest('base64')}'`;
}

const texts = {
  building: {
    title: 'Fanfold is getting its pages ready',
    text: 'This happens once after an update and takes a few seconds. The page comes by itself.',
  },
  failed: {
    title: 'The pages of Fanfold could not be built',
    text: 'The log of the server says why. Its interface for programs works all the same; so does the reference at /reference.',
  },
} as const;

const policy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** What stands in for the app while it is not there: one page without anything around it. */
export function waitingPage(kind: keyof typeof texts): { html: string; policy: string } {
  const { title, text } = texts[kind];
  const again = kind === 'building' ? '<meta http-equiv="refresh" content="1">' : '';
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${again}
<title>${title}</title>
</head>
<body>
<main>
<h1>${title}</h1>
<p>${text}</p>
</main>
</body>
</html>
`;
  return { html, policy };
}
