import { hostname } from 'node:os';
import { activityMonths } from '#activity';
import { createCredits, ledgerMonths, salesOf } from '#billing';
import { createCalls, requestMonths } from '#calls';
import { createPartitionMaintenance } from '#db';
import { eventMonths } from '#feedback';
import { createKeyUsage } from '#keys';
import { listPrices } from '#models';
import { estimateTrainingTime } from '#training';
import type { Engines } from './engines.ts';
import type { AppOptions, Infrastructure } from './infrastructure.ts';

export type Accounting = ReturnType<typeof openAccounting>;

/** Everything that keeps records of calls: charges, limits, stored answers, and what became of each call. */
export function openAccounting(
  { timing = {} }: AppOptions,
  infrastructure: Infrastructure,
  { models, engine }: Engines,
) {
  const { config, database, log, clock, instanceId } = infrastructure;
  const credits = createCredits({
    database,
    cursors: infrastructure.cursors,
    clock,
    publicUrl: infrastructure.publicUrl,
    log,
    lowMicro: config.lowBalanceMicro,
    signUpMicro: async () => (await infrastructure.signUpTerms()).creditsMicro,
    sales: salesOf(config),
    prices: () => listPrices(models),
    pace: engine.throughput,
    trainingTime: (baseModelId, work) => estimateTrainingTime({ sql: database, models }, { baseModelId, ...work }),
  });
  return {
    credits,
    calls: createCalls({
      database,
      serverId: instanceId,
      server: { host: hostname(), roles: config.roles.join(', ') },
      clock,
      log,
      timing,
      charged: credits.changed,
    }),
    keyUsage: createKeyUsage({ sql: database, clock }),
    months: monthsOf(infrastructure),
  };
}

function monthsOf({ config, database, log, clock }: Infrastructure) {
  return createPartitionMaintenance({
    database,
    log,
    tables: [
      ...ledgerMonths({ database, clock, keepMonths: config.ledgerMonths }),
      activityMonths(clock, config.activityMonths),
      ...requestMonths(clock),
      eventMonths(clock, config.feedbackRetentionDays),
    ],
  });
}
