import { TriangleAlert } from 'lucide-react';
import { Link } from 'wouter';
import { formatCount } from '../../../../routers/schemas/format-count.ts';
import { CORRUPTED_FILES_MAX } from '../../../../routers/schemas/limits.ts';
import type { Release } from '../../../../routers/schemas/releases.ts';
import { Button } from '../../../components/button.tsx';
import { Card } from '../../../components/card.tsx';
import { href } from '../../../lib/paths/paths.ts';

export type CorruptedPanelProps = {
  release: Pick<Release, 'deploymentId' | 'number' | 'corruptedFiles'>;
  /** True while no plan is active, so that nothing is published. */
  isReadOnly: boolean;
};

/** Lists the unreadable files of the release, and the remedy. */
export function CorruptedPanel({ release, isReadOnly }: CorruptedPanelProps) {
  const { deploymentId, number, corruptedFiles } = release;
  const isCut = corruptedFiles.length === CORRUPTED_FILES_MAX;
  const files = isCut ? `${CORRUPTED_FILES_MAX} files or more` : formatCount(corruptedFiles.length, 'file');
  return (
    <Card aria-label="Damaged files" className="mb-6 p-4 sm:p-5">
      <h2 className="flex items-center gap-3 text-lg font-semibold">
        <span className="flex size-7 shrink-0 items-center justify-center rounded-full bg-bad-soft text-bad">
          <TriangleAlert />
        </span>
        <span className="min-w-0 wrap-anywhere">
          {files} of release {number} {corruptedFiles.length === 1 ? 'is' : 'are'} damaged
        </span>
      </h2>
      <p className="mt-3 text-ink-muted">
        {corruptedFiles.length === 1 ? 'It can no longer be read and is' : 'They can no longer be read and are'} not
        served. Uploading the same content again repairs every release that uses it.
      </p>
      <ul className="mt-3 max-h-60 overflow-auto rounded-control bg-surface-sunken p-3 font-mono text-xs text-ink-muted">
        {corruptedFiles.map((path) => (
          <li key={path} className="wrap-anywhere">
            {path}
          </li>
        ))}
      </ul>
      {!isReadOnly && (
        <Button variant="primary" asChild className="mt-4">
          <Link to={`${href.deployment(deploymentId)}#publish`}>Publish the same files again</Link>
        </Button>
      )}
    </Card>
  );
}
