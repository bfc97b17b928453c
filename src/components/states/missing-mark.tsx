import { TriangleAlert } from 'lucide-react';

/**
 * Says beside the state of what is live that visitors do not get its start page, files of that, or a build.
 * `isNarrow`: on a phone the name beside it needs the room.
 */
export function MissingMark({ needsBuild, isNarrow }: { needsBuild: boolean | undefined; isNarrow?: boolean }) {
  return (
    <span className="flex items-center gap-1 text-xs font-medium text-warn">
      <TriangleAlert className="size-3.5" />
      <span className={isNarrow ? 'max-sm:sr-only' : undefined}>{needsBuild ? 'Not built' : 'Files missing'}</span>
    </span>
  );
}
