import { slugFromName } from '../../routers/schemas/slug.ts';

/**
 * The name of a deployment where it stands without its address. Of two with one name at most one has the slug that the
 * name makes; any other slug is told with it.
 */
export function deploymentLabel({ name, slug }: { name: string; slug: string }): string {
  return slug === slugFromName(name) ? name : `${name} (${slug})`;
}

/** Labels what belongs to a deployment: a release or a roll back. */
export function ownerLabel({
  deploymentName,
  deploymentSlug,
}: {
  deploymentName: string;
  deploymentSlug: string;
}): string {
  return deploymentLabel({ name: deploymentName, slug: deploymentSlug });
}
