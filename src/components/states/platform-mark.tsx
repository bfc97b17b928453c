import { type ComponentType, lazy, Suspense } from 'react';
import type { HostingPlatform, PlatformId } from '../../../routers/schemas/platforms/ids.ts';
import { classNames } from '../class-names.ts';
import { Mark } from '../mark.tsx';

/** Loaded after the first paint, into reserved space; it is decoration, so a page works without it. */
const PlatformDrawing = lazy(async (): Promise<{ default: ComponentType<{ platform: HostingPlatform }> }> => {
  const part = await import('./platform-drawing.tsx').catch(() => null);
  return { default: part?.PlatformDrawing ?? (() => null) };
});

export type PlatformMarkProps = { platform: PlatformId; className?: string | undefined };

/** The platform's own mark in the colour of the text around it, beside its name. */
export function PlatformMark({ platform, className = 'size-4' }: PlatformMarkProps) {
  if (platform === 'built-in' || platform === 'simulated') return <Mark className={className} />;
  return (
    <span className={classNames('inline-flex shrink-0', className)}>
      <Suspense>
        <PlatformDrawing platform={platform} />
      </Suspense>
    </span>
  );
}
