import { lazyComponent } from '../../../lib/lazy-component.tsx';
import type { SendingReleaseProps } from './sending-release.tsx';

/** Loaded once something was chosen: until then there is nothing to send. */
export const sendingRelease = lazyComponent<SendingReleaseProps>(
  async () => (await import('./sending-release.tsx')).SendingRelease,
);
