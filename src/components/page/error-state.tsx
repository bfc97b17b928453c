import { CircleAlert } from 'lucide-react';
import { type ReactNode, useId, useState } from 'react';
import { Button } from '../button.tsx';
import { classNames } from '../class-names.ts';

export type ErrorStateProps = {
  /** One sentence about the failure. */
  title: string;
  /** The remedy for the person. */
  children?: ReactNode;
  /** The remedy when another try would not help: a link that looks like a button. */
  action?: ReactNode;
  onRetry?: (() => void) | undefined;
  isRetrying?: boolean | undefined;
  /** Shown behind the toggle, unchanged, with the request id. */
  details?: string | undefined;
  requestId?: string | undefined;
  className?: string | undefined;
};

export function ErrorState({
  title,
  children,
  action,
  onRetry,
  isRetrying,
  details,
  requestId,
  className,
}: ErrorStateProps) {
  const [isOpen, setOpen] = useState(false);
  const detailsId = useId();
  const raw = [details, requestId !== undefined && `Request ${requestId}`].filter(Boolean).join('\n');
  return (
    <div role="alert" className={classNames('flex items-start gap-3 px-4 py-5 sm:px-5', className)}>
      <CircleAlert className="mt-0.5 text-bad" />
      <div className="min-w-0 grow">
        <p className="font-medium">{title}</p>
        {children !== undefined && <div className="mt-0.5 text-sm text-ink-muted">{children}</div>}
        <div className="mt-3 flex flex-wrap items-center gap-2 empty:hidden">
          {action}
          {onRetry && (
            <Button size="sm" onClick={onRetry} isBusy={isRetrying} busyLabel="Retrying…">
              Retry
            </Button>
          )}
          {raw !== '' && (
            <Button
              size="sm"
              variant="quiet"
              aria-expanded={isOpen}
              aria-controls={detailsId}
              onClick={() => setOpen(!isOpen)}
            >
              {isOpen ? 'Hide details' : 'Show details'}
            </Button>
          )}
        </div>
        {isOpen && (
          <pre
            id={detailsId}
            className="mt-3 max-h-48 overflow-auto rounded-control bg-surface-sunken p-3 font-mono text-xs whitespace-pre-wrap text-ink-muted wrap-anywhere"
          >
            {raw}
          </pre>
        )}
      </div>
    </div>
  );
}
