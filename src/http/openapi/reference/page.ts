import { type FaultName, faultRows } from '#kernel';
import { faultTexts } from '../fault-texts.ts';
import { introduction } from '../introduction.ts';
import { localize } from '../localize.ts';
import type { Language, OpenApiDocument } from '../model.ts';
import { operationsOf } from '../operation-index.ts';
import { codeBlock } from './code.ts';
import { type Html, html } from './html.ts';
import { inline, markdown } from './markdown.ts';
import { breakable, operationView } from './operation-view.ts';
import { word } from './words.ts';

type Group = OpenApiDocument['tags'][number];

/** The first page: what holds for every operation, the list of all, and every error. */
export function overviewPage(document: OpenApiDocument, language: Language): string {
  const say = (name: Parameters<typeof word>[0]) => word(name, language);
  return page(document, language, {
    group: null,
    title: say('title'),
    main: html`<div class="prose">
<h1>${document.info.title}</h1>
<p class="lead">${document.info.summary}</p>
${introduction.map((section) => html`<section id="${section.id}"><h2><a class="anchor" href="#${section.id}">${localize(section.title, language)}</a></h2>${markdown(localize(section.text, language))}</section>`)}
<section id="examples"><p>${say('setup')}</p>${codeBlock('export FANFOLD=http://127.0.0.1:8787\nexport FANFOLD_KEY=fnf_...')}</section>
<section id="operations"><h2><a class="anchor" href="#operations">${say('operations')}</a></h2>${document.tags.map((group) => groupIndex(group, document, language))}</section>
<section id="all-errors"><h2><a class="anchor" href="#all-errors">${say('allErrors')}</a></h2>${errorTable(language)}</section>
</div>`,
  });
}

/** All operations of one group. */
export function groupPage(document: OpenApiDocument, language: Language, name: string): string | null {
  const group = document.tags.find((each) => each.name === name);
  if (!group) return null;
  return page(document, language, {
    group,
    title: group['x-displayName'],
    main: html`<div class="prose"><h1>${group['x-displayName']}</h1><p class="lead">${inline(group.description)}</p></div>
${operationsIn(document, group).map((endpoint) => operationView(endpoint, document, language))}`,
  });
}

type Page = { group: Group | null; title: string; main: Html };

function page(document: OpenApiDocument, language: Language, { group, title, main }: Page): string {
  const say = (name: Parameters<typeof word>[0]) => word(name, language);
  const other = language === 'en' ? 'zh' : 'en';
  const here = group ? `/reference/${group.name}` : '/reference';
  const heading = group ? `${title} – ${say('title')}` : title;
  return html`<!doctype html>
<html lang="${language === 'en' ? 'en' : 'zh-Hans'}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${heading}</title>
<meta name="description" content="${document.info.summary}">
<link rel="stylesheet" href="/reference/style.css">
<link rel="alternate" hreflang="${other}" href="${inLanguage(here, other)}">
</head>
<body>
<a class="skip" href="#main">${say('skip')}</a>
<header class="top">
<a class="brand" href="${inLanguage('/reference', language)}">Fanfold <span>${say('title')}</span></a>
<nav>${say('whole')} <a href="/api/v1/openapi.${language}.json">JSON</a> <a href="/api/v1/openapi.${language}.yaml">YAML</a> <a href="${inLanguage(here, other)}" hreflang="${other}" lang="${other}">${say('otherLanguage')}</a></nav>
</header>
<div class="layout">
<nav class="side" aria-label="${say('contents')}"><input type="checkbox" id="menu"><label for="menu">${say('contents')}</label>${sideNavigation(document, language, group)}</nav>
<main id="main">${main}</main>
</div>
</body>
</html>
`.html;
}

function sideNavigation(document: OpenApiDocument, language: Language, current: Group | null): Html {
  const mark = (isHere: boolean) => (isHere ? html` aria-current="page"` : null);
  const overview = html`<li><a href="${inLanguage('/reference', language)}"${mark(current === null)}>${word('overview', language)}</a>${
    current === null
      ? html`<ul>${introduction.map(({ id, title }) => html`<li><a href="#${id}">${localize(title, language)}</a></li>`)}<li><a href="#operations">${word('operations', language)}</a></li><li><a href="#all-errors">${word('allErrors', language)}</a></li></ul>`
      : null
  }</li>`;
  const groups = document.tags.map(
    (group) =>
      html`<li><a href="${inLanguage(`/reference/${group.name}`, language)}"${mark(group === current)}>${group['x-displayName']}</a>${
        group === current
          ? html`<ul>${operationsIn(document, group).map(({ operation }) => html`<li><a href="#${operation.operationId}">${operation.summary}</a></li>`)}</ul>`
          : null
      }</li>`,
  );
  return html`<ul>${overview}${groups}</ul>`;
}

function groupIndex(group: Group, document: OpenApiDocument, language: Language): Html {
  const address = inLanguage(`/reference/${group.name}`, language);
  return html`<h3><a href="${address}">${group['x-displayName']}</a></h3><ul class="index">${operationsIn(
    document,
    group,
  ).map(
    ({ method, path, operation }) =>
      html`<li><a href="${address}#${operation.operationId}">${operation.summary}</a> <span class="address"><span class="method ${method.toLowerCase()}">${method}</span> <code>${breakable(path)}</code></span></li>`,
  )}</ul>`;
}

function errorTable(language: Language): Html {
  // as: the keys of the catalogue are its names.
  const names = Object.keys(faultRows) as FaultName[];
  return html`<dl class="fields">${names.map((name) => {
    const { status, code, message } = faultRows[name];
    const text = faultTexts[name];
    return html`<div class="field"><dt><span class="status bad">${status}</span> <code class="name">${code}</code></dt><dd><p>${
      text ? inline(`${localize(text.when, language)} ${localize(text.remedy, language)}`) : message
    }</p></dd></div>`;
  })}</dl>`;
}

function operationsIn(document: OpenApiDocument, group: Group) {
  return operationsOf(document).filter(({ operation }) => operation.tags.includes(group.name));
}

function inLanguage(path: string, language: Language): string {
  return language === 'en' ? path : `${path}?lang=${language}`;
}
