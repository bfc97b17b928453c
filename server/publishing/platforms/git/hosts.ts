const GITHUB = 'https://github.com';

/**
 * Returns the website that belongs to an API: github.com, its subdomain of an enterprise, or an Enterprise Server,
 * whose API has a path on its own host (docs.github.com, "Getting started with the REST API").
 */
export function webOrigin(apiUrl: string): string {
  const { protocol, host, pathname } = new URL(apiUrl);
  return `${protocol}//${pathname === '/' ? host.replace(/^api\./, '') : host}`;
}

/** Returns the page where a person makes a token for the API at this address. */
export function tokenPage(apiUrl: string): string {
  return `${webOrigin(apiUrl)}/settings/tokens`;
}

/**
 * Returns the website's own address, for a website that reports its domain in place of it. An Enterprise Server has
 * websites below a path of its own host (docs.github.com, "About GitHub Pages", GitHub Enterprise Server).
 */
export function ownAddress(apiUrl: string, repository: string): string {
  const [owner = '', title = ''] = repository.split('/');
  const origin = webOrigin(apiUrl);
  if (origin !== GITHUB) return `${origin}/pages/${owner}/${title}`;
  const host = `${owner.toLowerCase()}.github.io`;
  return title.toLowerCase() === host ? `https://${host}` : `https://${host}/${title}`;
}
