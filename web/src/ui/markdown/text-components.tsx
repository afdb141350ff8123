import { Children, isValidElement, type ReactNode } from 'react';
import type { Components } from 'react-markdown';
import rehypeHighlight from 'rehype-highlight';
import type { PluggableList } from 'unified';
import { CodeBlock } from '../code-block.tsx';
import styles from './markdown.module.css';
import { textOf } from './tree.ts';

export const highlighting: PluggableList = [[rehypeHighlight, { plainText: ['math', 'text', 'txt', 'plaintext'] }]];

/** Code with its language and a button to copy it; tables that scroll. */
export const textComponents: Components = {
  pre: ({ node, children }) => <Code code={textOf(node)}>{children}</Code>,
  table: ({ children }) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be reached by keyboard
    <div className={styles.tableBox} tabIndex={0}>
      <table>{children}</table>
    </div>
  ),
};

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
