import type { ReactNode } from 'react';
import type { Picked } from '../../api/upload-picks.ts';
import type { ChosenFiles } from './chosen-files.ts';
import { DropZone, type DropZoneProps } from './drop-zone.tsx';
import { FolderSummaryLater } from './folder-summary-later.tsx';

export type FilesPartProps = Pick<DropZoneProps, 'title' | 'description' | 'shape' | 'isWanted'> & {
  files: ChosenFiles;
  /** Told what is chosen on this page; left out, it is chosen and nothing more. */
  onChoose?: ((folder: Picked) => void) | undefined;
  /** Below what was found. */
  footer?: ReactNode;
};

/** The place for the files: where to drop them, and then what they are. */
export function FilesPart({ files, onChoose, footer, ...place }: FilesPartProps) {
  const { report, buildFolder, asked, isReading, setPublishAnyway } = files;
  const choose = onChoose ?? files.choose;
  if (report === null) return <DropZone {...place} asked={asked} isRestoring={isReading} onFolder={choose} />;
  return (
    <FolderSummaryLater
      report={report}
      onReplace={() => files.choose(null)}
      onPublishAnyway={setPublishAnyway}
      onTakeBuildFolder={buildFolder === null ? null : () => choose(buildFolder)}
      footer={footer}
    />
  );
}
