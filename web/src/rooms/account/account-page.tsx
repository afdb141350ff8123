import { useTexts } from '../../i18n/catalogue.ts';
import { Page } from '../../ui/page.tsx';
import { accountTexts } from './account-texts.ts';
import { PasswordPanel } from './password-panel.tsx';
import { PreferencesPanel } from './preferences-panel.tsx';
import { ProfilePanel } from './profile-panel.tsx';
import { SessionsPanel } from './sessions-panel.tsx';

export function AccountPage() {
  const t = useTexts(accountTexts);
  return (
    <Page title={t.title}>
      <ProfilePanel />
      <PreferencesPanel />
      <PasswordPanel />
      <SessionsPanel />
    </Page>
  );
}
