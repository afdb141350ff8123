import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import {
  type Account,
  changeEmail,
  createPasswords,
  findAccountBySlug,
  listAccounts,
  openAccount,
  setPassword,
  updateAccountRole,
  updateAccountStatus,
} from '#accounts';
import { balanceOf, grant } from '#billing';
import type { Sql } from '#db';
import { formatCredits, OperatorError, parseCredits } from '#kernel';
import { operatorActor } from '#operator';
import type { Config } from '../config.ts';
import { type Cell, jsonOption, type ListFlags, note, print, printList } from './terminal.ts';
import { useDatabase } from './use-database.ts';

export function addAccountCommands(accounts: Command, config: () => Config): void {
  accounts
    .command('create <slug>')
    .description('make an account without keys or credits and print its id')
    .option('-n, --name <name>', 'display name')
    .option('-e, --email <address>', 'address to sign in with; you vouch that it is the person’s own')
    .option('--admin', 'make it an operator, who manages this installation in the web app')
    .option('--password-stdin', 'give it the password on the first line of the standard input')
    .action((slug, flags) => createAccountCommand(config(), slug, flags));
  accounts
    .command('list')
    .description('show the accounts and their credits')
    .option(...jsonOption)
    .action((flags: ListFlags) => listAccountsCommand(config(), flags));
  accounts
    .command('set-email <slug> <address>')
    .description('give an account another address; you vouch that it is the person’s own')
    .action((slug, email) => setEmailCommand(config(), slug, email));
  accounts
    .command('set-password <slug>')
    .description('give an account a password, typed or on the standard input, and end its sessions')
    .option('--password-stdin', 'read the standard input, as without a terminal')
    .action((slug) => setPasswordCommand(config(), slug));
  for (const [name, role, what] of [
    ['grant-operator', 'admin', 'let an account manage this installation in the web app'],
    ['revoke-operator', 'user', 'take that right from an account, from the next request on'],
  ] as const)
    accounts
      .command(`${name} <slug>`)
      .description(what)
      .action((slug) => setRoleCommand(config(), slug, role));
  for (const [name, status, what] of [
    ['suspend', 'suspended', 'refuse its keys and sessions, from the next request on'],
    ['activate', 'active', 'let its keys and sessions in again'],
  ] as const)
    accounts
      .command(`${name} <slug>`)
      .description(what)
      .action((slug) => setStatusCommand(config(), slug, status));
}

export async function requireAccount(sql: Sql, slug: string): Promise<Account> {
  const account = await findAccountBySlug(sql, slug);
  if (account) return account;
  throw new OperatorError(`There is no account ${JSON.stringify(slug)}; "accounts list" shows them.`);
}

type CreateFlags = { name?: string; email?: string; admin?: boolean; passwordStdin?: boolean };

/** The operator knows whom he makes an account for, so its address counts as verified. */
function createAccountCommand(config: Config, slug: string, flags: CreateFlags) {
  return useDatabase(config, async (database) => {
    const password = flags.passwordStdin ? await readNewPassword() : null;
    const account = await database.transaction(async (tx) => {
      const made = await openAccount(tx, {
        slug,
        ...(flags.name === undefined ? {} : { displayName: flags.name }),
        email: flags.email ?? null,
        emailVerified: flags.email !== undefined,
        role: flags.admin ? 'admin' : 'user',
        actor: operatorActor,
      });
      if (password !== null) await setPassword(tx, createPasswords(), { accountId: made.id, password });
      return made;
    });
    if (password !== null && account.email === null) hintAtEmail(slug);
    print(account.id);
  });
}

function setPasswordCommand(config: Config, slug: string) {
  return useDatabase(config, async (database) => {
    const { id: accountId, email } = await requireAccount(database, slug);
    const password = await readNewPassword();
    await database.transaction((tx) => setPassword(tx, createPasswords(), { accountId, password }));
    print(`The password of ${slug} is set, and its sessions have ended.`);
    if (email === null) hintAtEmail(slug);
  });
}

function hintAtEmail(slug: string): void {
  note(`${slug} has no e-mail address to sign in with yet; give it one with "accounts set-email ${slug} <address>".`);
}

function setEmailCommand(config: Config, slug: string, email: string) {
  return useDatabase(config, async (database) => {
    const { id } = await requireAccount(database, slug);
    await changeEmail(database, id, email);
    print(`${slug} has the address ${email.toLowerCase()}.`);
  });
}

function setStatusCommand(config: Config, slug: string, status: Account['status']) {
  return useDatabase(config, async (database) => {
    const { id } = await requireAccount(database, slug);
    await updateAccountStatus(database, id, status);
    print(`${slug} is ${status}.`);
  });
}

function setRoleCommand(config: Config, slug: string, role: Account['role']) {
  return useDatabase(config, async (database) => {
    const { id } = await requireAccount(database, slug);
    await updateAccountRole(database, id, role);
    print(`${slug} is ${role === 'admin' ? 'an operator' : 'no operator'}.`);
  });
}

function listAccountsCommand(config: Config, flags: ListFlags) {
  return useDatabase(config, async (database) => {
    const accounts = await listAccounts(database);
    const rows: Cell[][] = [];
    for (const { id, slug, email, role, status, createdAt } of accounts) {
      const { settledMicro } = await balanceOf(database, id);
      rows.push([slug, id, email, role, status, formatCredits(settledMicro), createdAt.toISOString()]);
    }
    printList(['slug', 'id', 'email', 'role', 'status', 'credits', 'created'], rows, flags);
  });
}

export function grantCommand(config: Config, amount: string, options: { account: string; note?: string }) {
  const micro = parseCredits(amount);
  if (micro === null || micro <= 0n)
    throw new OperatorError(
      'The amount must be a number of credits above 0 and below 10^12 with at most six decimals, such as 12.5.',
    );
  return useDatabase(config, async (database) => {
    const { id: accountId } = await requireAccount(database, options.account);
    const settled = await grant(database, { accountId, micro, note: options.note ?? null });
    print(`${options.account} has ${formatCredits(settled)} credits.`);
  });
}

/**
 * A new password: typed twice at a terminal, without showing it, or the first line of the standard input. Never an
 * argument: those are in the list of processes and in the shell's memory.
 */
async function readNewPassword(): Promise<string> {
  if (!process.stdin.isTTY) return firstLineOf(await text(process.stdin));
  const password = await ask('New password: ');
  if ((await ask('Once more: ')) === password) return password;
  throw new OperatorError('The two passwords differ; nothing was changed.');
}

function firstLineOf(input: string): string {
  const [line = ''] = input.split(/\r?\n/, 1);
  if (line === '') throw new OperatorError('There is no password on the standard input.');
  return line;
}

async function ask(question: string): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  // Not before nothing is shown of what is typed.
  process.stderr.write(question);
  // Ctrl-D leaves a question without an end.
  const closed = once(lines, 'close').then(() => null);
  try {
    // Ctrl-C breaks it off.
    const answer = await Promise.race([lines.question('').catch(() => null), closed]);
    if (answer !== null) return answer;
    throw new OperatorError('There is no password; nothing was changed.');
  } finally {
    lines.close();
    note('');
  }
}
