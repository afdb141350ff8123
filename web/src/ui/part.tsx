import { QueryErrorResetBoundary, useQueryClient } from '@tanstack/react-query';
import { Component, type ReactNode, Suspense, useEffect } from 'react';
import { isProblem } from '../api/problem.ts';
import styles from './part.module.css';
import { ProblemNote } from './problem-note.tsx';

type PartProps = {
  /** As large as what it stands for, so that nothing moves. Without one, the part around this one waits for it too. */
  skeleton?: ReactNode;
  children: ReactNode;
};

/** A part of a page that waits for its data by itself, and fails by itself: what is around it stays. */
export function Part({ skeleton, children }: PartProps) {
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

/** React catches what is thrown while it renders in classes only. */
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
        {isOutOfReach(this.state.error) && <Recovery onRecover={this.retry} />}
      </div>
    );
  }
}

/** It will not be there the next time either. */
const isGone = (error: unknown): boolean => isProblem(error) && error.status === 404;

const isOutOfReach = (error: unknown): boolean => isProblem(error) && (error.status === 0 || error.status === 503);

/** Once the server has answered anything, or somebody comes back to the page, this part is asked for again by itself. */
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
