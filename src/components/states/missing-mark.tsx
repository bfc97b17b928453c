import { TriangleAlert } from 'lucide-react';

/** Says beside the state of what is live that visitors do not get its start page, files of that, or a build. */
export function MissingMark({ needsBuild }: { needsBuild: boolean | undefined }) {
  return (
    <span className="flex items-center gap-1 text-xs font-medium text-warn">
      <TriangleAlert className="size-3.5" />
      {/* On a phone the name needs the room. */}
      <span className="max-sm:sr-only">{needsBuild ? 'Not built' : 'Files missing'}</span>
    </span>
  );
}
