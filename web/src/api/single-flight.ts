const inFlight = new Map<string, Promise<unknown>>();

/**
 * A request with a name is not sent a second time while it is in flight, as after a double click: both callers get one
 * response.
 */
export function singleFlight<Answer>(name: string | undefined, send: () => Promise<Answer>): Promise<Answer> {
  if (name === undefined) return send();
  // as: one name always belongs to one route.
  const running = inFlight.get(name) as Promise<Answer> | undefined;
  if (running) return running;
  const sent = send().finally(() => inFlight.delete(name));
  inFlight.set(name, sent);
  return sent;
}
