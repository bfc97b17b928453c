import { LoaderCircle } from 'lucide-react';

/** A spinner with its label. Both stay hidden for the first 150 ms, so that a short wait does not flicker. */
export function Spinner({ label }: { label: string }) {
  return (
    <div role="status" className="flex animate-after-wait items-center justify-center gap-2.5 py-16 text-ink-muted">
      <LoaderCircle className="animate-turn text-accent" />
      {label}
    </div>
  );
}
