import { Skeleton } from '@mantine/core';
import { useTexts } from '../../i18n/catalogue.ts';
import { sharedTexts } from '../../i18n/shared-texts.ts';
import brandStyles from './brand.module.css';
import { BrandSign } from './brand.tsx';
import styles from './frame.module.css';

const widths = ['55%', '45%', '40%', '50%', '48%'];

/** The frame before it is known whose it is. */
export function FrameSkeleton() {
  const t = useTexts(sharedTexts);
  return (
    <div className={styles.frame} role="status" aria-label={t.loading}>
      <div className={styles.top} />
      <div className={styles.side}>
        <span className={brandStyles.brand}>
          <BrandSign />
          Fanfold
        </span>
        {widths.map((width) => (
          <Skeleton key={width} height={14} width={width} ml="sm" />
        ))}
      </div>
      <div className={styles.main}>
        <Skeleton height={26} width="12rem" mb="lg" />
        <Skeleton height={180} radius="lg" />
      </div>
    </div>
  );
}
