import type { Command } from 'commander';
import { formatCredits, OperatorError, parseCredits } from '#kernel';
import {
  type AccountLimitsView,
  type CallLimits,
  changeLimits,
  changeStorageLimit,
  type LimitsWithUsage,
  readAccountLimits,
  readLimits,
} from '#limits';
import { operatorActor } from '#operator';
import type { Config } from '../config.ts';
import { requireAccount } from './accounts.ts';
import { localAccount } from './first-start.ts';
import { print, renderTable } from './terminal.ts';
import { useDatabase } from './use-database.ts';

type StorageFlag = { storageMib?: string };
export type LimitFlags = { requestsPerMinute?: string; concurrentRequests?: string; creditsPerDay?: string };

/** `keys limit` and `accounts limit`: show the limits, or change those that are given. */
export function addLimitCommands({ keys, accounts }: { keys: Command; accounts: Command }, config: () => Config): void {
  withLimitOptions(keys.command('limit <key-id>'))
    .description('show what a key may use at most, or change it')
    .option('-a, --account <slug>', 'account', localAccount)
    .action((keyId: string, { account, ...flags }: LimitFlags & { account: string }) =>
      limitCommand(config(), account, { keyId, flags }),
    );
  withLimitOptions(accounts.command('limit <slug>'))
    .option('--storage-mib <number>', 'MiB that imports, examples and adapters may take; "none" for no limit')
    .description('show what an account may use at most, or change what the operator allows it')
    .action((slug: string, flags: LimitFlags & StorageFlag) => limitCommand(config(), slug, { keyId: null, flags }));
}

export function withLimitOptions(command: Command): Command {
  return command
    .option('--requests-per-minute <number>', 'calls that may begin in a minute; "none" for no limit')
    .option('--concurrent-requests <number>', 'calls that may run at a time; "none" for no limit')
    .option('--credits-per-day <credits>', 'credits that may be spent in a day (UTC); "none" for no limit');
}

type Limiting = { keyId: string | null; flags: LimitFlags & StorageFlag };

function limitCommand(config: Config, slug: string, { keyId, flags }: Limiting) {
  return useDatabase(config, async (database) => {
    const { id: accountId } = await requireAccount(database, slug);
    const limits = readFlags(flags);
    const mostMib = flags.storageMib === undefined ? undefined : readCount(flags.storageMib, mostStorageMib);
    const change = Object.keys(limits).length > 0 ? { wanted: limits, actor: operatorActor } : null;
    if (keyId === null) {
      if (change) await changeLimits(database, { scope: 'operator', id: accountId, accountId }, change);
      if (mostMib !== undefined)
        await changeStorageLimit(database, { accountId, mostBytes: inBytes(mostMib), actor: operatorActor });
      return print(renderAccount(await readAccountLimits(database, accountId)));
    }
    const address = { scope: 'key', id: keyId, accountId } as const;
    print(render(change ? await changeLimits(database, address, change) : await readLimits(database, address)));
  });
}

/** Of the options what was given; throws what the operator is to mend. */
export function readFlags({ requestsPerMinute, concurrentRequests, creditsPerDay }: LimitFlags): Partial<CallLimits> {
  return {
    ...(requestsPerMinute === undefined ? {} : { requestsPerMinute: readCount(requestsPerMinute, 1_000_000) }),
    ...(concurrentRequests === undefined ? {} : { concurrentRequests: readCount(concurrentRequests, 10_000) }),
    ...(creditsPerDay === undefined ? {} : { creditsPerDayMicro: readCredits(creditsPerDay) }),
  };
}

const mostStorageMib = 1_000_000_000;
const bytesPerMib = 1_048_576n;
const inBytes = (mib: number | null) => (mib === null ? null : BigInt(mib) * bytesPerMib);

function readCount(text: string, most: number): number | null {
  if (text === 'none') return null;
  const count = /^[0-9]{1,10}$/.test(text) ? Number(text) : 0;
  if (count >= 1 && count <= most) return count;
  throw new OperatorError(`A limit is a number from 1 to ${most}, or "none"; this is ${JSON.stringify(text)}.`);
}

function readCredits(text: string): bigint | null {
  if (text === 'none') return null;
  const micro = parseCredits(text);
  if (micro !== null && micro >= 0n) return micro;
  throw new OperatorError(
    `Credits are a number with at most six decimals, or "none"; this is ${JSON.stringify(text)}.`,
  );
}

/** In a few words, for a list; null: there are none. */
export function limitsInShort({
  requestsPerMinute,
  concurrentRequests,
  creditsPerDayMicro,
}: CallLimits): string | null {
  const words = [
    requestsPerMinute === null ? null : `${requestsPerMinute} per minute`,
    concurrentRequests === null ? null : `${concurrentRequests} at a time`,
    creditsPerDayMicro === null ? null : `${formatCredits(creditsPerDayMicro)} credits per day`,
  ].filter((word) => word !== null);
  return words.length === 0 ? null : words.join(', ');
}

function render({ limits, used }: LimitsWithUsage): string {
  const most = textsOf(limits);
  return renderTable(
    ['LIMIT', 'AT MOST', 'USED'],
    usesOf(used).map(({ what, text }, at) => [what, most[at] ?? '', text]),
  );
}

/** Both sides: of two limits, the lower one holds. */
function renderAccount({ limits, operator: ofOperator, used, storage }: AccountLimitsView): string {
  const [own, allowed] = [textsOf(limits), textsOf(ofOperator)];
  return renderTable(
    ['LIMIT', 'BY THE OPERATOR', 'BY THE ACCOUNT', 'USED'],
    [
      ...usesOf(used).map(({ what, text }, at) => [what, allowed[at] ?? '', own[at] ?? '', text]),
      ['MiB stored', storage.mostBytes === null ? 'none' : mibOf(storage.mostBytes), '', mibOf(storage.usedBytes)],
    ],
  );
}

const mibOf = (bytes: bigint) => (Number(bytes) / Number(bytesPerMib)).toFixed(1).replace('.0', '');

function textsOf({ requestsPerMinute, concurrentRequests, creditsPerDayMicro }: CallLimits): string[] {
  const perDay = creditsPerDayMicro === null ? 'none' : formatCredits(creditsPerDayMicro);
  return [String(requestsPerMinute ?? 'none'), String(concurrentRequests ?? 'none'), perDay];
}

function usesOf({ requests, running, creditsTodayMicro }: LimitsWithUsage['used']) {
  return [
    { what: 'requests per minute', text: String(requests) },
    { what: 'concurrent requests', text: String(running) },
    { what: 'credits per day', text: formatCredits(creditsTodayMicro) },
  ];
}
