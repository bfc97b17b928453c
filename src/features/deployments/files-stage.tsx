import { Stage } from '../../components/stage.tsx';
import type { ChosenFiles } from './chosen-files.ts';
import { FilesPart } from './files-part.tsx';

/** The first stage of a pipeline: everything after it is about these. */
export function FilesStage({ files }: { files: ChosenFiles }) {
  const isReady = files.report !== null && files.report.reading.refusal === null;
  return (
    <Stage number={1} title="Files" state={isReady ? 'done' : 'open'}>
      <FilesPart files={files} shape="wide" />
    </Stage>
  );
}
