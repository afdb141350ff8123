import { actorOf, recordActivity } from '#activity';
import type { Database } from '#db';
import type { Principal } from '#http';
import { checkDisplayName, fault } from '#kernel';
import { type AccountProfile, updateProfile } from './accounts.store.ts';

const maxUrlLength = 2048;
const maxLocaleLength = 35;

/** Undefined fields stay as they are. */
export type ProfileChange = { [Name in keyof AccountProfile]: AccountProfile[Name] | undefined };

/** Throws `invalid_request` for the first value that is not allowed. What holds already is no change. */
export async function changeProfile(
  database: Database,
  change: ProfileChange,
  { principal, requestId }: { principal: Principal; requestId: string },
): Promise<void> {
  const { accountId, accountSlug } = principal;
  const checked = checkProfile(change);
  await database.transaction(async (tx) => {
    const outcome = await updateProfile(tx, accountId, checked);
    if (!outcome) throw fault('not_found', { message: 'There is no such account.' });
    if (outcome.changed.length === 0) return;
    await recordActivity(tx, {
      accountId,
      type: 'account.profile_updated',
      actor: actorOf(principal),
      subject: { kind: 'account', id: accountId, label: accountSlug },
      message: 'The profile was changed.',
      data: { fields: outcome.changed.map((name) => wireNames[name]) },
      requestId,
    });
  });
}

const wireNames: Record<keyof AccountProfile, string> = {
  displayName: 'display_name',
  avatarUrl: 'avatar_url',
  locale: 'locale',
};

function checkProfile({ displayName, avatarUrl, locale }: ProfileChange): ProfileChange {
  return {
    displayName: displayName === undefined ? undefined : checkDisplayName(displayName, wireNames.displayName),
    avatarUrl: avatarUrl == null ? avatarUrl : checkAvatarUrl(avatarUrl),
    locale: locale === undefined ? undefined : checkLocale(locale),
  };
}

/** Shown by browsers, never fetched by this server. */
function checkAvatarUrl(text: string): string {
  if (isAvatarUrl(text)) return text;
  const message = `avatar_url: expected an https address of at most ${maxUrlLength} characters.`;
  throw fault('invalid_request', { message, param: 'avatar_url' });
}

export function isAvatarUrl(text: string): boolean {
  if (text.length > maxUrlLength || !/^https:\/\/[\x21-\x7e]+$/.test(text) || !URL.canParse(text)) return false;
  const { username, password } = new URL(text);
  return username === '' && password === '';
}

/** A language tag (BCP 47) in its canonical spelling. */
function checkLocale(text: string): string {
  try {
    const [locale] = text.length <= maxLocaleLength ? Intl.getCanonicalLocales(text) : [];
    if (locale !== undefined) return locale;
  } catch {
    // Not a language tag: refused below.
  }
  throw fault('invalid_request', { message: 'locale: expected a language tag such as en or zh-CN.', param: 'locale' });
}
