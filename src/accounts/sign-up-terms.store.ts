import type { Sql } from '#db';

/** Who may open an account without the operator: nobody, people of the identity provider, anyone. */
export type SignUpPolicy = 'closed' | 'oidc' | 'open';

/** Who may open an account, and what it begins with. */
export type SignUpTerms = { policy: SignUpPolicy; creditsMicro: bigint };

/** What an operator has set, else `defaults`. */
export async function readSignUpTerms(sql: Sql, defaults: SignUpTerms): Promise<SignUpTerms> {
  const [row] = await sql.query<{ policy: SignUpPolicy | null; creditsMicro: bigint | null }>(
    'select policy, credits_micro as "creditsMicro" from sign_up_settings',
  );
  return { policy: row?.policy ?? defaults.policy, creditsMicro: row?.creditsMicro ?? defaults.creditsMicro };
}

/** What stays undefined stays as it is. */
export async function updateSignUpTerms(
  sql: Sql,
  { policy, creditsMicro }: { policy?: SignUpPolicy | undefined; creditsMicro?: bigint | undefined },
): Promise<void> {
  await sql.query(
    `insert into sign_up_settings as s (policy, credits_micro) values ($1, $2)
     on conflict (is_only) do update set policy = coalesce($1, s.policy), credits_micro = coalesce($2, s.credits_micro)`,
    [policy ?? null, creditsMicro ?? null],
  );
}
