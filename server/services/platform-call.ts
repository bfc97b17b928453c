import type { Manifest } from '../artifacts/manifest.ts';
import { AppError } from '../errors.ts';
import type { DeploymentDoc } from '../models/deployment.ts';
import type { Platform, PlatformCall, PlatformRef } from '../platforms/platform.ts';
import type { Providers } from '../service-context.ts';

type Reached = Pick<DeploymentDoc, '_id' | 'slug'> & { platformSite?: unknown };

/** What an operation on the deployment's platform is given; it ends with `signal`. */
export function platformCall(providers: Providers, deployment: Reached, signal: AbortSignal): PlatformCall {
  const { store, network } = providers;
  return {
    ...network,
    deployment: { id: deployment._id, slug: deployment.slug },
    site: storedRef(deployment.platformSite),
    credential: null,
    target: null,
    store,
    signal,
    now: () => providers.now(),
  };
}

/** The fields are free in their schemas; only what an adapter named is ever written to them. */
export function storedRef(stored: unknown): PlatformRef | null {
  return (stored ?? null) as PlatformRef | null;
}

/** Holds a release against the platform's own limits, before anything is sent. Throws `content_refused`. */
export function requireWithinLimits({ capabilities }: Platform, title: string, manifest: Manifest): void {
  const { limits, refusedNames } = capabilities;
  const { maxFiles, maxFileBytes, maxTotalBytes } = limits;
  let totalBytes = 0;
  for (const [path, { sizeBytes }] of manifest) {
    totalBytes += sizeBytes;
    if (maxFileBytes !== undefined && sizeBytes > maxFileBytes) {
      const sizes = `it has ${inMegabytes(sizeBytes)}, and ${inMegabytes(maxFileBytes)} are allowed`;
      throw tooMuch(`${title} does not take ${path}: ${sizes}.`, 'Make the file smaller or leave it out.');
    }
    if (refusedNames?.test(path)) {
      throw tooMuch(`${title} does not take ${path}: the name has a sign that is not allowed.`, 'Rename the file.');
    }
  }
  if (maxFiles !== undefined && manifest.size > maxFiles) {
    throw tooMuch(`${title} takes ${maxFiles} files at most; there are ${manifest.size}.`, 'Publish fewer files.');
  }
  if (maxTotalBytes !== undefined && totalBytes > maxTotalBytes) {
    const sizes = `${inMegabytes(maxTotalBytes)} at most; there are ${inMegabytes(totalBytes)}`;
    throw tooMuch(`${title} takes ${sizes}.`, 'Publish fewer or smaller files.');
  }
}

function tooMuch(message: string, remedy: string): AppError {
  return new AppError('content_refused', message, {
    hint: `${remedy} The built-in host has wider limits.`,
  });
}

function inMegabytes(bytes: number): string {
  return `${(bytes / 1024 ** 2).toLocaleString('en-US', { maximumFractionDigits: 2 })} MB`;
}
