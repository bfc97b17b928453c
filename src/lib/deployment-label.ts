import { slugFromName } from '../../routers/schemas/slug.ts';

/**
 * Returns the label of a deployment where its address is not shown. Of two with one name at most one has the slug that
 * the name makes; any other slug is added.
 */
export function deploymentLabel({ name, slug }: { name: string; slug: string }): string {
  return slug === slugFromName(name) ? name : `${name} (${slug})`;
}

/** Labels a release or a rollback by its deployment. */
export function ownerLabel({
  deploymentName,
  deploymentSlug,
}: {
  deploymentName: string;
  deploymentSlug: string;
}): string {
  return deploymentLabel({ name: deploymentName, slug: deploymentSlug });
}
