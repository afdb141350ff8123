/** A page that a browser shows at the end of its redirects. */
export type Page = { url: URL; status: number; text: string; response: Response };

export type Visit = {
  method?: string;
  headers?: Record<string, string>;
  form?: Record<string, string>;
  json?: unknown;
};

/**
 * As much of a browser as signing in needs: follows redirects and keeps cookies, each for its host. `hosts` says where a
 * host really is, so that a test can use an address that it does not have.
 */
export type Browser = {
  visit: (url: string, visit?: Visit) => Promise<Page>;
  /** The next page only, wherever that leads. */
  step: (url: string, visit?: Visit) => Promise<Page>;
  cookiesOf: (host: string) => Map<string, string>;
};

const mostRedirects = 20;

export function createBrowser(hosts: Record<string, string>): Browser {
  const jars = new Map<string, Map<string, string>>();
  const cookiesOf = (host: string) => {
    const jar = jars.get(host) ?? new Map<string, string>();
    jars.set(host, jar);
    return jar;
  };

  async function step(address: string, { method, headers = {}, form, json }: Visit = {}): Promise<Page> {
    const url = new URL(address);
    const jar = cookiesOf(url.host);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const body = form ? new URLSearchParams(form) : json === undefined ? null : JSON.stringify(json);
    const response = await fetch(new URL(url.pathname + url.search, hosts[url.host] ?? url.origin), {
      method: method ?? (body === null ? 'GET' : 'POST'),
      headers: {
        ...(cookie ? { cookie } : {}),
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(180_000),
    });
    for (const line of response.headers.getSetCookie()) keep(jar, line);
    return { url, status: response.status, text: await response.text(), response };
  }

  async function visit(address: string, first: Visit = {}): Promise<Page> {
    let page = await step(address, first);
    for (let hops = 0; hops < mostRedirects; hops++) {
      const location = page.response.headers.get('location');
      if (location === null || page.status < 300 || page.status > 399) return page;
      page = await step(new URL(location, page.url).href);
    }
    throw new Error(`More than ${mostRedirects} redirects from ${address}.`);
  }

  return { visit, step, cookiesOf };
}

function keep(jar: Map<string, string>, line: string): void {
  const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
  const [name = '', ...value] = pair.split('=');
  const isOver = attributes.some(
    (each) => /^max-age=0$/i.test(each) || (/^expires=/i.test(each) && Date.parse(each.slice(8)) < Date.now()),
  );
  if (isOver) jar.delete(name);
  else jar.set(name, value.join('='));
}
