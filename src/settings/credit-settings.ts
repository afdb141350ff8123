import { type Micro, parseCredits } from '#kernel';
import { httpAddress, type SettingsOf, words } from './setting.ts';

export type CreditValues = {
  /** Who may open an account by himself: nobody, people of the identity provider, anyone. */
  signUp: 'closed' | 'oidc' | 'open';
  /** What an account has that somebody opened himself. */
  signUpMicro: Micro;
  /** Below it, credits are low. */
  lowBalanceMicro: Micro;
  /** null: nothing is sold. */
  stripeSecretKey: string | null;
  /** Files that hold the secrets, instead. */
  stripeSecretKeyFile: string | null;
  stripeWebhookSecret: string | null;
  stripeWebhookSecretFile: string | null;
  stripeUrl: string;
  /** What is sold, as the operator wrote it. */
  creditPacks: string | null;
  creditPrice: string | null;
};

const signUpPolicies = ['closed', 'oidc', 'open'] as const;

export const creditSettings: SettingsOf<CreditValues> = {
  signUp: {
    env: 'FANFOLD_SIGNUP',
    fallback: 'closed',
    expected: `one of ${signUpPolicies.join(', ')}`,
    read: (text: string) => signUpPolicies.find((policy) => policy === text),
  },
  signUpMicro: {
    env: 'FANFOLD_SIGNUP_CREDITS',
    fallback: 0n,
    expected: 'a number of credits, 0 or more, with at most six decimals',
    read: readCredits,
  },
  lowBalanceMicro: {
    env: 'FANFOLD_LOW_BALANCE_CREDITS',
    fallback: 1_000_000n,
    expected: 'a number of credits, 0 or more, with at most six decimals',
    read: readCredits,
  },
  stripeSecretKey: { env: 'STRIPE_SECRET_KEY', fallback: null, expected: 'a secret key', read: words },
  stripeSecretKeyFile: { env: 'STRIPE_SECRET_KEY_FILE', fallback: null, expected: 'a file', read: words },
  stripeWebhookSecret: { env: 'STRIPE_WEBHOOK_SECRET', fallback: null, expected: 'a signing secret', read: words },
  stripeWebhookSecretFile: { env: 'STRIPE_WEBHOOK_SECRET_FILE', fallback: null, expected: 'a file', read: words },
  stripeUrl: {
    env: 'STRIPE_API_URL',
    fallback: 'https://api.stripe.com',
    expected: 'the address of the payment provider',
    read: httpAddress,
  },
  creditPacks: { env: 'FANFOLD_CREDIT_PACKS', fallback: null, expected: 'packs of credits', read: words },
  creditPrice: { env: 'FANFOLD_CREDIT_PRICE', fallback: null, expected: 'a price', read: words },
};

function readCredits(text: string): Micro | undefined {
  const micro = parseCredits(text);
  return micro !== null && micro >= 0n ? micro : undefined;
}
