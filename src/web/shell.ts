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
