import { examples, type FormatExample } from '../../src/engine/text/formats/templates.fixture.ts';
import { compileChatTemplate } from '../../src/engine/text/template.ts';

const begin = '<!-- forms: npm run model-formats -->\n';
const end = '<!-- end of forms -->\n';

/** The guide with the table of the forms that the tests have. */
export function withFormatTable(guide: string): string {
  const from = guide.indexOf(begin) + begin.length;
  return guide.slice(0, from) + formatTable() + guide.slice(guide.indexOf(end, from));
}

function formatTable(): string {
  const rows = examples.map((example) => {
    const { family, name, parallel = true } = example;
    return `| ${family} | ${name} | ${parallel ? 'several' : 'one'} | ${codeOf(callOf(example))} |`;
  });
  return ['| models | form | calls in an answer | a call |', '|---|---|---|---|', ...rows, ''].join('\n');
}

/** One call as the model writes it. */
function callOf({ source, controlTokens }: FormatExample): string {
  const { format } = compileChatTemplate({ source, controlTokens, bosToken: '', eosToken: '', now: () => new Date(0) });
  return format.calls.write([{ name: 'weather', arguments: { city: 'Oslo' } }]);
}

function codeOf(text: string): string {
  const line = text.replaceAll('\n', '⏎').replaceAll('|', '\\|');
  const fence = line.includes('`') ? '````' : '`';
  return `${fence}${line}${fence}`;
}
