import type { ReactNode } from 'react';

export type FilesFooterProps = { text: string; children?: ReactNode };

/** Below what was found in the files: what happens next, and what starts it. */
export function FilesFooter({ text, children }: FilesFooterProps) {
  return (
    <div className="flex flex-wrap items-center justify-between gap-3 p-4 sm:px-5">
      <p className="min-w-0 text-sm text-ink-muted">{text}</p>
      {children}
    </div>
  );
}
