import { isOsJunk, leftOutRule } from '../../../../routers/rules/uploads/left-out-files.ts';
import { formatCount } from '../../../../routers/schemas/format-count.ts';
import { Notice } from '../../../components/notice.tsx';
import { isZip, type Selection, selectionTitle } from '../../../uploads/selection/selection.ts';
import { useWaiting } from '../../../uploads/waiting-selection.ts';

/** Names what was chosen before there was an account, on the way to where it is published. */
export function WaitingNotice({ className }: { className: string }) {
  const { selection } = useWaiting();
  return (
    selection !== null && (
      <Notice tone="accent" title={waitingLine(selection)} className={className}>
        It waits here until you publish it.
      </Notice>
    )
  );
}

/** Returns a line such as `harbour-cafe, 21 files`. */
function waitingLine(selection: Selection): string {
  const files = isZip(selection) ? selection.entries : selection.files;
  const offered = files.filter(({ path }) => !isOsJunk(path) && leftOutRule(path) === null);
  return `${selectionTitle(selection)}, ${formatCount(offered.length, 'file')}`;
}
