const underWay = new Map<string, Promise<unknown>>();

/** What is on its way under a name is not sent a second time, as after a double click: both get the one answer. */
export function inOneFlight<Answer>(name: string | undefined, send: () => Promise<Answer>): Promise<Answer> {
  if (name === undefined) return send();
  // as: a name stands for one intention, so its answer is that of the same route.
  const known = underWay.get(name) as Promise<Answer> | undefined;
  if (known) return known;
  const sent = send().finally(() => underWay.delete(name));
  underWay.set(name, sent);
  return sent;
}
