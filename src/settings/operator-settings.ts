import { httpAddress, number, type SettingsOf, words } from './setting.ts';

export type OperatorValues = {
  /** Time that running calls have to finish when the server stops. */
  drainMs: number;
  operatorHost: string;
  /** null: nothing is served to the operator's tools. */
  operatorPort: number | null;
  /** Collector of traces; null: there are none. */
  otlpEndpoint: string | null;
  otelServiceName: string;
  /** Part of the traces that are kept, where the caller has not decided it. */
  traceRatio: number;
};

export const operatorSettings: SettingsOf<OperatorValues> = {
  drainMs: {
    env: 'FANFOLD_DRAIN_SECONDS',
    fallback: 25_000,
    expected: 'seconds, 0 to 3600',
    read: number(0, 3600, 1000),
  },
  operatorHost: {
    env: 'FANFOLD_OPERATOR_HOST',
    fallback: '127.0.0.1',
    expected: 'an address to listen on',
    read: words,
  },
  operatorPort: {
    env: 'FANFOLD_OPERATOR_PORT',
    fallback: null,
    expected: 'a port number (0 takes any free one)',
    read: number(0, 65_535),
  },
  otlpEndpoint: {
    env: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    fallback: null,
    expected: 'the http address of an OpenTelemetry collector',
    read: httpAddress,
  },
  otelServiceName: { env: 'OTEL_SERVICE_NAME', fallback: 'fanfold', expected: 'a name', read: words },
  traceRatio: {
    env: 'OTEL_TRACES_SAMPLER_ARG',
    fallback: 1,
    expected: 'a number, 0 to 1',
    read: (text: string) => (/^(0|1|0?\.\d{1,9}|1\.0+)$/.test(text) ? Number(text) : undefined),
  },
};
