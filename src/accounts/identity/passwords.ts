import { createGate, type Gate } from './gate.ts';

/** Hashes and checks passwords as better-auth stores them (scrypt); slow on purpose, so a few at a time. */
export type Passwords = {
  gate: Gate;
  hash: (password: string) => Promise<string>;
  matches: (password: string, hash: string) => Promise<boolean>;
};

const limits = { running: 2, waiting: 64 };

export function createPasswords(): Passwords {
  const gate = createGate(limits);
  // Loaded when somebody first needs it: better-auth costs a quarter of a second and 40 MB.
  const crypto = () => import('better-auth/crypto');
  return {
    gate,
    hash: (password) => gate(async () => (await crypto()).hashPassword(password)),
    matches: (password, hash) => gate(async () => (await crypto()).verifyPassword({ password, hash })),
  };
}
