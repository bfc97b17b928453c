import type { Deployment } from '../../routers/schemas/deployments.ts';
import type { DeploymentHealth } from '../../routers/schemas/diagnostics.ts';

/**
 * Returns the last checks from outside. A look at the address that is older than the release says nothing of it, and is
 * left out.
 */
export function freshChecks(
  release: Deployment['currentRelease'],
  health: DeploymentHealth | undefined,
): DeploymentHealth['checks'] {
  const checkedAt = health?.checkedAt ?? null;
  const isOld = checkedAt === null || (release?.liveSince ?? checkedAt) > checkedAt;
  return (health?.checks ?? []).filter(({ id }) => id !== 'url-up' || !isOld);
}
