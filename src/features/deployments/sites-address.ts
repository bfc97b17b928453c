const PLACEHOLDER = '__SITES_HOST__';
const SLUG_MARK = '{slug}';

/** The address that a deployment of this slug gets when it is free, as the server wrote it into the page: `{slug}.localhost:3001`. */
export function addressOfSlug(slug: string): string {
  const written = document.querySelector('meta[name="fairlead-sites-host"]')?.getAttribute('content') ?? '';
  const pattern = written === '' || written === PLACEHOLDER ? `${SLUG_MARK}.localhost` : written;
  return pattern.replace(SLUG_MARK, slug);
}
