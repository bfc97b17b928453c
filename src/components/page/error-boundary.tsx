import { Component, type ReactNode, Suspense, useEffect } from 'react';
import { useIsOnline } from '../../lib/browser/use-is-online.ts';
import { Button } from '../button.tsx';
import { Card } from '../card.tsx';
import { ErrorState } from './error-state.tsx';

export type ErrorBoundaryProps = {
  children: ReactNode;
  /** Called before a part that failed to load is rendered again; without it only a reload can help. */
  onFetchAgain?: (() => void) | undefined;
  /** For parts beside the screen: their place stays empty, nothing else is lost, and this is called. */
  onFailed?: (error: Error) => void;
};

/** Catches errors of rendering and shows a message. It is a class, because React offers no hook for it. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, { error: Error | null }> {
  override state: { error: Error | null } = { error: null };
  private hasRetried = false;

  static getDerivedStateFromError(cause: unknown): { error: Error } {
    return { error: cause instanceof Error ? cause : new Error(String(cause)) };
  }

  /** After an upgrade the file is gone for good, and only a new page names its successor. */
  override componentDidCatch(error: Error): void {
    this.props.onFailed?.(error);
    if (this.hasRetried && isFetchFailure(error) && navigator.onLine) location.reload();
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    if (this.props.onFailed !== undefined) return null;
    return isFetchFailure(error) ? <FetchError onRetry={this.retry} /> : <RenderError error={error} />;
  }

  private readonly retry = (): void => {
    const { onFetchAgain } = this.props;
    if (onFetchAgain === undefined) {
      location.reload();
      return;
    }
    this.hasRetried = true;
    onFetchAgain();
    this.setState({ error: null });
  };
}

/** Loads a part beside the screen, which is missing without loss where it fails. */
export function Beside({ children }: { children: ReactNode }) {
  return (
    <ErrorBoundary onFailed={() => {}}>
      <Suspense fallback={null}>{children}</Suspense>
    </ErrorBoundary>
  );
}

/**
 * The words of Chromium, Firefox, Safari and Vite for a part of the app that could not be loaded; none has a code for
 * it.
 */
const FETCH_FAILURE = /dynamically imported module|importing a module script failed|unable to preload css/i;

function isFetchFailure(error: Error): boolean {
  return FETCH_FAILURE.test(error.message);
}

function FetchError({ onRetry }: { onRetry: () => void }) {
  const isOnline = useIsOnline();
  useEffect(() => {
    addEventListener('online', onRetry);
    return () => removeEventListener('online', onRetry);
  }, [onRetry]);
  return (
    <Card className="mx-auto my-8 w-full max-w-reading">
      <ErrorState title="This screen could not be loaded" onRetry={onRetry}>
        {isOnline
          ? 'There is a new version, or Fairlead cannot be reached.'
          : 'It loads by itself once you are back online.'}
      </ErrorState>
    </Card>
  );
}

function RenderError({ error }: { error: Error }) {
  return (
    <div className="px-5 py-16">
      <div role="alert" className="mx-auto max-w-reading rounded-card border border-line bg-surface-raised p-6">
        <h1 className="text-xl font-semibold">Something went wrong</h1>
        <p className="mt-1 text-ink-muted wrap-anywhere">{error.message}</p>
        <details className="mt-4 text-sm text-ink-muted">
          <summary className="cursor-pointer">Technical details</summary>
          <pre className="mt-2 max-h-64 overflow-auto rounded-control bg-surface-sunken p-3 font-mono text-xs whitespace-pre-wrap wrap-anywhere">
            {error.stack ?? String(error)}
          </pre>
        </details>
        <Button variant="primary" className="mt-5" onClick={() => location.reload()}>
          Reload Page
        </Button>
      </div>
    </div>
  );
}
