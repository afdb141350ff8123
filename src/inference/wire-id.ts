import { randomPage } from '#kernel';

const alphanumerics = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Makes a random id such as `chatcmpl-` or `call_` with 24 alphanumerics behind it. */
export function wireId(prefix: string): string {
  let id = prefix;
  // Bytes above 248 = 4 x 62 are left out: they would make the first letters more likely.
  while (id.length < prefix.length + 24) {
    for (const byte of randomPage(32)) if (byte < 248 && id.length < prefix.length + 24) id += alphanumerics[byte % 62];
  }
  return id;
}
