import { lazyRouteComponent } from '@tanstack/react-router';
import { Problem } from '../api/problem.ts';

/** The server is unavailable, or has a newer build. */
function missingFile(): Problem {
  return new Problem({ status: 0, code: 'missing_file', message: 'A part of the app could not be loaded.' });
}

/**
 * A component that is loaded when it is first rendered. If that fails, the library would reload the page and lose
 * input; here `RouteProblem` shows the failure.
 */
export const lazyComponent: typeof lazyRouteComponent = (load, name) =>
  lazyRouteComponent(
    () =>
      load().catch(() => {
        throw missingFile();
      }),
    name,
  );
