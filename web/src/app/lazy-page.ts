import { lazyRouteComponent } from '@tanstack/react-router';

/** A file of the app did not come: the server is out of reach, or has a later build by now. */
export class MissingFile extends Error {}

/**
 * A page whose code comes when it is asked for. The library would load the whole page anew where that fails, and with it
 * take away what somebody has written; here `RouteProblem` tells of it.
 */
export const lazyPage: typeof lazyRouteComponent = (load, name) =>
  lazyRouteComponent(
    () =>
      load().catch((cause: unknown) => {
        throw new MissingFile('A file of the app did not come.', { cause });
      }),
    name,
  );
