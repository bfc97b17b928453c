import { TriangleAlert } from 'lucide-react';

export type MissingMarkProps = {
  release: { hasStartPage: boolean; needsBuild?: boolean };
  /** Counts what else visitors of the release do not get. */
  files?: number;
  links?: number;
  /** True where the name beside it needs the room on a phone. */
  isNarrow?: boolean;
};

/**
 * Says beside the state of what is live that visitors do not get its start page, files of that, a build, or what links
 * lead to; absent where nothing is missing.
 */
export function MissingMark({ release, files, links, isNarrow }: MissingMarkProps) {
  const isLacking = !release.hasStartPage || files;
  const word = release.needsBuild ? 'Not built' : isLacking ? 'Files missing' : links ? 'Broken links' : null;
  return (
    word && (
      <span className="flex items-center gap-1 text-xs font-medium text-warn">
        <TriangleAlert className="size-3.5" />
        <span className={isNarrow ? 'max-sm:sr-only' : undefined}>{word}</span>
      </span>
    )
  );
}
