import { memo, type ReactNode } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { basePath } from '../../api/page-settings.ts';
import { ForeignLink } from '../../ui/markdown/foreign-link.tsx';
import markdownStyles from '../../ui/markdown/markdown.module.css';
import { highlighting, textComponents } from '../../ui/markdown/text-components.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { guideElements } from './guide-elements.ts';
import styles from './guides.module.css';

const components: Components = {
  ...textComponents,
  a: ({ href = '', children }) => <GuideLink href={href}>{children}</GuideLink>,
};

/** The text of a guide, which comes from this server. */
export const GuideText = memo(function GuideText({ markdown }: { markdown: string }) {
  return (
    <article className={`${markdownStyles.markdown} ${styles.text}`} lang="en">
      <ReactMarkdown
        remarkPlugins={[remarkGfm]}
        rehypePlugins={[guideElements, ...highlighting]}
        disallowedElements={['img']}
        components={components}
      >
        {markdown}
      </ReactMarkdown>
    </article>
  );
});

function GuideLink({ href, children }: { href: string; children: ReactNode }) {
  const [, guide, hash = ''] = /^(?:\/guides\/([^#]+))?(?:#(.+))?$/.exec(href) ?? [];
  if (guide !== undefined)
    return (
      <TextLink to="/guides/$guide" params={{ guide }} hash={hash}>
        {children}
      </TextLink>
    );
  if (hash !== '')
    return (
      <TextLink to="." hash={hash}>
        {children}
      </TextLink>
    );
  return <ForeignLink href={href.startsWith('/') ? basePath() + href : href}>{children}</ForeignLink>;
}
