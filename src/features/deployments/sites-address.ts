const PLACEHOLDER = '__SITES_HOST__';

/** Where sites answer, as the server wrote it into the page: `localhost:3001`. */
function sitesHost(): string {
  const written = document.querySelector('meta[name="fairlead-sites-host"]')?.getAttribute('content');
  return written === undefined || written === null || written === '' || written === PLACEHOLDER ? 'localhost' : written;
}

/** The address that a deployment of this slug gets when it is free. */
export function addressOfSlug(slug: string): string {
  return `${slug}.${sitesHost()}`;
}
