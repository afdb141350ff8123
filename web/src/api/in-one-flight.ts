const underWay = new Map<string, Promise<unknown>>();

/**
 * A request with a name is not sent a second time while it is in flight, as after a double click: both callers get one
 * response.
 */
export function inOneFlight<Answer>(name: string | undefined, send: () => Promise<Answer>): Promise<Answer> {
  if (name === undefined) return send();
  // as: one name always belongs to one route.
  const known = underWay.get(name) as Promise<Answer> | undefined;
  if (known) return known;
  const sent = send().finally(() => underWay.delete(name));
  underWay.set(name, sent);
  return sent;
}
