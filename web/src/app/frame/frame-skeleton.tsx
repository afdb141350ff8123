import { useTexts } from '../../i18n/catalogue.ts';
import { sharedTexts } from '../../i18n/shared-texts.ts';
import { BrandLogo } from '../../ui/brand.tsx';

/** Shown until the session is known. `index.html` shows the same before the app runs (`boot.css`). */
export function FrameSkeleton() {
  const t = useTexts(sharedTexts);
  return (
    <div className="boot" role="status" aria-label={t.loading}>
      <div className="boot-bar">
        <span className="boot-brand">
          <BrandLogo />
          Fanfold
        </span>
        <i />
        <i />
        <i />
        <i />
        <i />
      </div>
      <div className="boot-page">
        <i />
        <i />
      </div>
    </div>
  );
}
