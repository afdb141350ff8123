import { QueryErrorResetBoundary, useQueryClient } from '@tanstack/react-query';
import { Component, type ReactNode, Suspense, useEffect } from 'react';
import { isProblem } from '../api/problem.ts';
import styles from './async-boundary.module.css';
import { ProblemNote } from './problem-note.tsx';

type AsyncBoundaryProps = {
  /** Of the same size, so that the layout does not shift. Without one, the parent part waits too. */
  skeleton?: ReactNode;
  children: ReactNode;
};

/** An error and suspense boundary: a part of a page loads and fails on its own. */
export function AsyncBoundary({ skeleton, children }: AsyncBoundaryProps) {
  return (
    <QueryErrorResetBoundary>
      {({ reset }) => (
        <Boundary onReset={reset}>
          {skeleton === undefined ? children : <Suspense fallback={skeleton}>{children}</Suspense>}
        </Boundary>
      )}
    </QueryErrorResetBoundary>
  );
}

type BoundaryProps = { onReset: () => void; children: ReactNode };

/** Error boundaries must be classes. */
class Boundary extends Component<BoundaryProps, { error: unknown }> {
  override state: { error: unknown } = { error: null };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  private readonly retry = () => {
    this.props.onReset();
    this.setState({ error: null });
  };

  override render() {
    if (this.state.error === null) return this.props.children;
    return (
      <div className={styles.problem}>
        <ProblemNote error={this.state.error} onRetry={isGone(this.state.error) ? undefined : this.retry} />
        {isUnavailable(this.state.error) && <Recovery onRecover={this.retry} />}
      </div>
    );
  }
}

/** A retry would not help. */
const isGone = (error: unknown): boolean => isProblem(error) && error.status === 404;

const isUnavailable = (error: unknown): boolean => isProblem(error) && (error.status === 0 || error.status === 503);

/** Retries when any request succeeds, or the window gets the focus. */
function Recovery({ onRecover }: { onRecover: () => void }) {
  const queryClient = useQueryClient();
  useEffect(() => {
    window.addEventListener('focus', onRecover);
    const leave = queryClient.getQueryCache().subscribe((event) => {
      if (event.type === 'updated' && event.action.type === 'success' && !event.action.manual) onRecover();
    });
    return () => {
      window.removeEventListener('focus', onRecover);
      leave();
    };
  }, [queryClient, onRecover]);
  return null;
}
