import { useNavigate } from '../../../lib/browser/location.ts';
import { paths } from '../../../lib/paths/paths.ts';
import { setWaiting, useReselect, useWaiting } from '../../../uploads/waiting-selection.ts';
import { DropZone, type DropZoneProps } from '../select/drop-zone.tsx';
import { WaitingFiles } from '../select/waiting-files.tsx';

export type LeadingDropProps = Required<Pick<DropZoneProps, 'shape'>> & { title: string; description: string };

/**
 * Takes a folder or a ZIP of a signed-in person, and leads on to Quick Deploy unless they have gone elsewhere. What
 * waits already is shown first.
 */
export function LeadingDrop(props: LeadingDropProps) {
  const navigate = useNavigate();
  const wanted = useReselect(null);
  const { selection: waiting } = useWaiting();
  const here = location.pathname;
  return (
    <>
      {waiting !== null && <WaitingFiles selection={waiting} />}
      <DropZone
        {...props}
        wanted={wanted}
        outlivesPage
        onSelection={(selection) => {
          setWaiting(selection);
          if (location.pathname === here) navigate(paths.quickDeploy);
        }}
      />
    </>
  );
}
