import { useTexts } from '../../i18n/catalogue.ts';
import { BackLink } from '../../ui/back-link.tsx';
import { billingTexts } from './billing-texts.ts';

export function BackToCredits() {
  const t = useTexts(billingTexts);
  return <BackLink to="/credits">{t.title}</BackLink>;
}
