import { useEffect, useRef } from 'react';
import { useLocation } from 'react-router';
import type { Deployment } from '../../../routers/schemas/deployments.ts';
import type { Picked } from '../../api/upload-picks.ts';
import { usePublish } from '../../api/use-publish.ts';
import { publishedFolder } from './folder-report.ts';
import { PublishSection } from './publish-section.tsx';

export type PublishPartProps = {
  deployment: Deployment;
  isReadOnly: boolean;
  /** What was being sent when it was cancelled. */
  givenBack: Picked | null;
};

/** Where the folder is dropped again; "Publish again" leads here, from this page and from the lists. */
export function PublishPart({ deployment, isReadOnly, givenBack }: PublishPartProps) {
  const publish = usePublish();
  const { hash, key } = useLocation();
  const isWanted = hash === '#publish';
  const anchor = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: pressing the same link again leads there again
  useEffect(() => {
    if (!isWanted) return;
    anchor.current?.scrollIntoView({ block: 'center' });
    anchor.current?.querySelector('button')?.focus({ preventScroll: true });
  }, [isWanted, key]);
  return (
    <section ref={anchor} aria-label="Publish">
      <PublishSection
        deployment={deployment}
        isReadOnly={isReadOnly}
        isWanted={isWanted}
        givenBack={givenBack}
        onPublish={(report) =>
          void publish({
            deployment,
            folder: publishedFolder(report),
            publishAnyway: report.publishAnyway,
            isNew: false,
          })
        }
      />
    </section>
  );
}
