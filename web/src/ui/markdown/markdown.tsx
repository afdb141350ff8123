import { memo, Suspense, use } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import { ForeignLink } from './foreign-link.tsx';
import styles from './markdown.module.css';
import { markdownBlocks } from './markdown-blocks.ts';
import { markdownOptions } from './markdown-options.ts';
import { hasMath, withMathDelimiters } from './math-delimiters.ts';
import { highlighting, textComponents } from './text-components.tsx';

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
  ...textComponents,
  a: ({ href, children }) => <ForeignLink href={href}>{children}</ForeignLink>,
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
