import { lazyRouteComponent } from '@tanstack/react-router';
import { Problem } from '../api/problem.ts';

/** The server is out of reach, or has a later build by now. */
function missingFile(): Problem {
  return new Problem({ status: 0, code: 'missing_file', message: 'A part of the app could not be loaded.' });
}

/**
 * A page whose code comes when it is asked for. The library would load the whole page anew where that fails, and with it
 * take away what somebody has written; here `RouteProblem` tells of it.
 */
export const lazyComponent: typeof lazyRouteComponent = (load, name) =>
  lazyRouteComponent(
    () =>
      load().catch(() => {
        throw missingFile();
      }),
    name,
  );
