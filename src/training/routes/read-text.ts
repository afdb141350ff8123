import type { ObjectStore } from '#objects';

/** The text of a small object. Throws `artifact_not_found`. */
export async function readText(objects: ObjectStore, key: string): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of await objects.get(key)) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString();
}
