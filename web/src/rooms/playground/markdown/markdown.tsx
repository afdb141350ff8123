import { Children, isValidElement, memo, type ReactNode, Suspense, use } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import rehypeHighlight from 'rehype-highlight';
import type { PluggableList } from 'unified';
import { useTexts } from '../../../i18n/catalogue.ts';
import { sharedTexts } from '../../../i18n/shared-texts.ts';
import { CodeBlock } from '../../../ui/code-block.tsx';
import styles from './markdown.module.css';
import { markdownBlocks } from './markdown-blocks.ts';
import { markdownOptions } from './markdown-options.ts';
import { hasMath, withMathDelimiters } from './math-delimiters.ts';

const highlighting: PluggableList = [[rehypeHighlight, { plainText: ['math', 'text', 'txt', 'plaintext'] }]];
const plain = markdownOptions(highlighting);
let mathOptions: Promise<typeof plain> | null = null;

/** Without it, formulas stay as they are written. */
function loadMathOptions(): Promise<typeof plain> {
  mathOptions ??= import('./math-plugins.ts').then(
    ({ mathPlugins }) => markdownOptions([...mathPlugins, ...highlighting]),
    () => plain,
  );
  return mathOptions;
}

const components: Components = {
  a: ({ href, children }) => <ForeignLink href={href}>{children}</ForeignLink>,
  pre: ({ node, children }) => <Code code={textOf(node)}>{children}</Code>,
  table: ({ children }) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be reached by keyboard
    <div className={styles.tableBox} tabIndex={0}>
      <table>{children}</table>
    </div>
  ),
};

/** The Markdown of a model. */
export function Markdown({ text }: { text: string }) {
  return (
    <div className={styles.markdown}>
      {markdownBlocks(withMathDelimiters(text)).map((block, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: blocks are added at the end only
        <Suspense key={index} fallback={<p>{block}</p>}>
          <Block text={block} />
        </Suspense>
      ))}
    </div>
  );
}

const Block = memo(function Block({ text }: { text: string }) {
  const options = hasMath(text) ? use(loadMathOptions()) : plain;
  return (
    <ReactMarkdown {...options} components={components}>
      {text}
    </ReactMarkdown>
  );
});

function ForeignLink({ href, children }: { href: string | undefined; children: ReactNode }) {
  const t = useTexts(sharedTexts);
  return (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {children}
      <span className={styles.spoken}> {t.opensNewTab}</span>
    </a>
  );
}

function Code({ code, children }: { code: string; children: ReactNode }) {
  const [element] = Children.toArray(children);
  // as: `pre` holds one `code`, with the language as a class.
  const { className = '', children: highlighted = code } = isValidElement(element)
    ? (element.props as { className?: string; children?: ReactNode })
    : {};
  const [, language] = /language-(\S+)/.exec(className) ?? [];
  return (
    <CodeBlock code={code.replace(/\n$/, '')} {...(language === undefined ? {} : { language })}>
      {highlighted}
    </CodeBlock>
  );
}

type HastText = { value?: unknown; children?: readonly HastText[] };

function textOf(node: HastText | undefined): string {
  if (node?.value !== undefined) return String(node.value);
  return (node?.children ?? []).map(textOf).join('');
}
