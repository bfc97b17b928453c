import { Upload } from 'lucide-react';
import { useEffect } from 'react';
import { Badge } from '../components/badge.tsx';
import { RunningPublication } from '../features/releases/progress/running-release.tsx';
import { routes } from '../routes.tsx';
import { isUnderWay, usePublications } from '../uploads/publications.ts';

/** Shows this tab's running uploads on every screen: they end with the tab. */
export function SendingStatus() {
  const sending = usePublications().filter(isUnderWay);
  // The page that takes over after sending is loaded by then.
  useEffect(() => void routes.release.screen.fetch(), []);
  return (
    <div className="flex flex-col gap-3 px-2 py-3 text-sm">
      <p className="flex items-center justify-between gap-2 text-xs text-ink-muted">
        <Badge tone="accent" icon={Upload}>
          Sending
        </Badge>
        Keep this tab open
      </p>
      {sending.map((publication) => (
        <RunningPublication key={publication.deploymentId} publication={publication} />
      ))}
    </div>
  );
}
