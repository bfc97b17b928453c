/**
 * What platforms show at a name that is pointed at them and that no site there has, by the host that the name is an alias
 * of; their pages of errors, read in November 2026. Whoever adds the name to a site of their own there takes it over.
 */
export const UNCLAIMED_PAGES: readonly { host: RegExp; text: RegExp }[] = [
  { host: /\.github\.io$/, text: /There isn't a GitHub Pages site here/ },
  { host: /\.(herokuapp|herokudns)\.com$/, text: /No such app|herokucdn\.com\/error-pages\/no-such-app/ },
  { host: /\.netlify\.(app|com)$/, text: /Not Found - Request ID/ },
  { host: /\.(vercel\.app|vercel-dns\.com)$/, text: /DEPLOYMENT_NOT_FOUND/ },
];
