import { CircleAlert } from 'lucide-react';
import { type ReactNode, useId, useState } from 'react';
import { Button } from './button.tsx';
import { classNames } from './class-names.ts';

export type ErrorStateProps = {
  /** What happened, in one sentence. */
  title: string;
  /** What the person can do about it. */
  children?: ReactNode;
  /** The way on where nothing is gained by another try: a link in the look of a button. */
  action?: ReactNode;
  onRetry?: (() => void) | undefined;
  isRetrying?: boolean | undefined;
  /** Behind the toggle, as it came; the request id belongs to it. */
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
