import { Link } from '@tanstack/react-router';
import styles from './brand.module.css';

/** A sheet folded like a fan. */
export function BrandLogo({ size = 26 }: { size?: number }) {
  return (
    <svg className={styles.sign} width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx="8" className={styles.ground} />
      <path d="m7 10.5 6-2.5v13.5L7 24z" className={styles.near} />
      <path d="m13 8 6 2.5V24l-6-2.5z" className={styles.far} />
      <path d="m19 10.5 6-2.5v13.5L19 24z" className={styles.near} />
    </svg>
  );
}

export function Brand() {
  return (
    <Link to="/" className={styles.brand}>
      <BrandLogo />
      Fanfold
    </Link>
  );
}
