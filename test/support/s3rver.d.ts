declare module '@20minutes/s3rver' {
  /** The part of the server that the tests use. */
  // biome-ignore lint/style/noDefaultExport: that is how the package exports it
  export default class S3rver {
    constructor(options: {
      port: number;
      address: string;
      silent: boolean;
      directory: string;
      configureBuckets: { name: string }[];
    });
    readonly middleware: ((
      context: { path: string; headers: Record<string, unknown>; status: number; body: unknown },
      next: () => Promise<void>,
    ) => Promise<void>)[];
    run(): Promise<{ port: number }>;
    close(): Promise<void>;
  }
}
