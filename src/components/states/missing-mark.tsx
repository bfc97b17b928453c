import { TriangleAlert } from 'lucide-react';

/** Says beside the state of what is live that visitors do not get its start page, or files of that. */
export function MissingMark() {
  return (
    <span className="flex items-center gap-1 text-xs font-medium text-warn">
      <TriangleAlert className="size-3.5" />
      {/* On a phone the name needs the room. */}
      <span className="max-sm:sr-only">Files missing</span>
    </span>
  );
}
