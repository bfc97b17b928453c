import { Component, type ReactNode } from 'react';
import { Button } from '../components/button.tsx';

export type ErrorBoundaryProps = { children: ReactNode };

/** Shows what a screen that fails to render leaves behind (specification, section 2). A class: React offers no hook for it. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, { error: Error | null }> {
  override state: { error: Error | null } = { error: null };

  static getDerivedStateFromError(cause: unknown): { error: Error } {
    return { error: cause instanceof Error ? cause : new Error(String(cause)) };
  }

  override render(): ReactNode {
    const { error } = this.state;
    return error === null ? this.props.children : <RenderError error={error} />;
  }
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
