import { slugFromName } from '../../routers/schemas/slug.ts';
import { formatAddress } from './format.ts';

/**
 * Returns the label of a deployment where its address is not shown. Of two with one name at most one has the slug that
 * the name makes. Any other slug is added; at a platform where the site has another name, its address there.
 */
export function deploymentLabel({ name, slug, url }: { name: string; slug: string; url: string }): string {
  if (slug === slugFromName(name)) return name;
  const address = formatAddress(url);
  return `${name} (${address === '' || address.startsWith(`${slug}.`) ? slug : address})`;
}

/** Labels a release or a rollback by its deployment. */
export function ownerLabel({
  deploymentName: name,
  deploymentSlug: slug,
  url,
}: {
  deploymentName: string;
  deploymentSlug: string;
  url: string;
}): string {
  return deploymentLabel({ name, slug, url });
}
