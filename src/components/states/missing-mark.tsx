import { TriangleAlert } from 'lucide-react';

export type MissingMarkProps = {
  needsBuild: boolean | undefined;
  /** True when its start page is whole, and some links lead nowhere. */
  hasLinksOnly?: boolean;
  /** True where the name beside it needs the room on a phone. */
  isNarrow?: boolean;
};

/** Says beside the state of what is live that visitors do not get its start page, files of that, a build, or links. */
export function MissingMark({ needsBuild, hasLinksOnly, isNarrow }: MissingMarkProps) {
  return (
    <span className="flex items-center gap-1 text-xs font-medium text-warn">
      <TriangleAlert className="size-3.5" />
      <span className={isNarrow ? 'max-sm:sr-only' : undefined}>
        {needsBuild ? 'Not built' : hasLinksOnly ? 'Broken links' : 'Files missing'}
      </span>
    </span>
  );
}
