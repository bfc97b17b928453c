import { useId, useState } from 'react';
import { PLATFORM_CAPABILITIES } from '../../../../routers/schemas/platforms/capabilities/index.ts';
import type { Destination } from '../../../../routers/schemas/platforms/destination.ts';
import { PLATFORMS } from '../../../../routers/schemas/platforms/list.ts';
import type { ReadPlatformLogInput } from '../../../../routers/schemas/releases.ts';
import { trpc } from '../../../api/trpc.ts';
import { Button } from '../../../components/button.tsx';
import { LinkedText } from '../../../components/linked-text.tsx';

export type PlatformLogProps = { releaseId: string; destination: Pick<Destination, 'id' | 'platform'> };

/** Shows the platform's own log of a release on request; nothing when it has none. */
export function PlatformLog({ releaseId, destination }: PlatformLogProps) {
  const { id: destinationId, platform } = destination;
  if (PLATFORM_CAPABILITIES[platform]?.log !== true) return null;
  return <LogOnRequest of={{ releaseId, destinationId }} title={PLATFORMS[platform].title} />;
}

function LogOnRequest({ of, title }: { of: ReadPlatformLogInput; title: string }) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const { data, error } = trpc.releases.platformLog.useQuery(of, { enabled: isOpen });
  return (
    <>
      <Button variant="quiet" aria-expanded={isOpen} aria-controls={id} onClick={() => setOpen(!isOpen)}>
        {isOpen ? `Hide ${title}'s log` : `Show ${title}'s log`}
      </Button>
      {isOpen && (
        <pre
          id={id}
          className="order-last max-h-80 w-full overflow-auto rounded-control bg-surface-sunken p-3 font-mono text-xs whitespace-pre-wrap text-ink-muted wrap-anywhere"
        >
          <LinkedText
            text={data === undefined ? (error?.message ?? 'Reading the log…') : data.text || 'The log is empty.'}
            isVerbatim
          />
        </pre>
      )}
    </>
  );
}
