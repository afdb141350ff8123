import { Textarea, type TextareaProps } from '@mantine/core';
import styles from './growing-textarea.module.css';

/** CSS in browsers that support it, as measuring delays the first view; a script in others. */
const growsByItself = CSS.supports('field-sizing', 'content');

type GrowingTextareaProps = Omit<TextareaProps, 'autosize' | 'minRows' | 'maxRows' | 'resize' | 'style'> & {
  minRows?: number;
  maxRows?: number;
};

/** As high as its content, from `minRows` (1) to `maxRows` (unlimited). */
export function GrowingTextarea({ minRows = 1, maxRows, className = '', ...props }: GrowingTextareaProps) {
  const bound = maxRows === undefined ? {} : { maxRows };
  if (!growsByItself) return <Textarea autosize minRows={minRows} {...bound} className={className} {...props} />;
  return (
    <Textarea
      className={`${className} ${styles.growing} ${maxRows === undefined ? '' : styles.bounded}`}
      style={{ '--least-rows': minRows, ...(maxRows !== undefined && { '--most-rows': maxRows }) }}
      {...props}
    />
  );
}

declare module 'react' {
  interface CSSProperties {
    '--least-rows'?: number;
    '--most-rows'?: number;
  }
}
