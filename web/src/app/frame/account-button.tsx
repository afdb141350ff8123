import { lazy, Suspense, useState } from 'react';
import { AccountFace } from './account-face.tsx';

export const loadAccountMenu = () => import('./account-menu.tsx');

const AccountMenu = lazy(async () => ({ default: (await loadAccountMenu()).AccountMenu }));

/** The account button; its menu is loaded when it is first opened. */
export function AccountButton({ isCompact = false }: { isCompact?: boolean }) {
  const [isRequested, setRequested] = useState(false);
  const face = <AccountFace isCompact={isCompact} onClick={() => setRequested(true)} />;
  if (!isRequested) return face;
  return (
    <Suspense fallback={face}>
      <AccountMenu isCompact={isCompact} />
    </Suspense>
  );
}
