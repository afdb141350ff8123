import { QueryErrorResetBoundary } from '@tanstack/react-query';
import { Component, type ReactNode, Suspense } from 'react';
import styles from './part.module.css';
import { ProblemNote } from './problem-note.tsx';

export type PartProps = {
  /** As large as what it stands for, so that nothing moves. */
  skeleton: ReactNode;
  children: ReactNode;
};

/** A part of a page that waits for its data by itself, and fails by itself: what is around it stays. */
export function Part({ skeleton, children }: PartProps) {
  return (
    <QueryErrorResetBoundary>
      {({ reset }) => (
        <Boundary onReset={reset}>
          <Suspense fallback={skeleton}>{children}</Suspense>
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
        <ProblemNote error={this.state.error} onRetry={this.retry} />
      </div>
    );
  }
}
