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
