import { Link } from '@tanstack/react-router';
import styles from './brand.module.css';

/** The sign: a sheet folded like a fan. */
export function BrandSign({ size = 26 }: { size?: number }) {
  return (
    <svg className={styles.sign} width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx="8" className={styles.ground} />
      <path d="M8 10.5 16 8v16l-8 2.5z" className={styles.near} />
      <path d="m16 8 8 2.5v16L16 24z" className={styles.far} />
    </svg>
  );
}

export function Brand() {
  return (
    <Link to="/" className={styles.brand}>
      <BrandSign />
      Fanfold
    </Link>
  );
}
