import { Check } from 'lucide-react';

/** A picture of a live release's page. */
export function ReleasePicture() {
  return (
    <div
      role="img"
      aria-label="A release going live: sent, checked, switched on"
      className="mt-4 flex flex-wrap items-center justify-between gap-x-6 gap-y-2 rounded-card border border-line bg-surface-raised px-4 py-3 text-sm sm:px-5"
    >
      <span className="font-mono">harbour-cafe.example</span>
      <span className="flex flex-wrap gap-x-4 gap-y-1">
        {['Sent', 'Checked', 'Live'].map((step) => (
          <span key={step} className="flex items-center gap-1.5">
            <span className="flex size-5 items-center justify-center rounded-full bg-good-soft text-good">
              <Check className="size-3.5" />
            </span>
            {step}
          </span>
        ))}
      </span>
    </div>
  );
}
