/** The part of the server's log that rooms write to. */
export type Log = {
  info: (details: object, message: string) => void;
  warn: (details: object, message: string) => void;
};
