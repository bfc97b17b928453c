import { refusalByLimits } from '../../../routers/schemas/platforms/limits.ts';
import { AppError } from '../../lib/errors.ts';
import type { Manifest } from '../../store/manifest.ts';
import type { Platform } from '../platforms/platform.ts';

/** Checks a release against the platform's own limits, before anything is sent. Throws `content_refused`. */
export function requireWithinLimits({ capabilities }: Platform, title: string, manifest: Manifest): void {
  const files = [...manifest].map(([path, { sizeBytes }]) => ({ path, sizeBytes }));
  const refusal = refusalByLimits(capabilities, title, files);
  if (refusal !== null) throw new AppError('content_refused', refusal.message, { hint: refusal.hint });
}
