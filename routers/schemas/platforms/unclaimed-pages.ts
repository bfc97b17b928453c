/**
 * The pages that platforms show at a name that points to them and belongs to no site there, by the host of the name's
 * alias; from their error pages, read in November 2026. Anybody who adds the name to a site there takes it over.
 */
export const UNCLAIMED_PAGES: readonly { host: RegExp; text: RegExp }[] = [
  { host: /\.github\.io$/, text: /There isn't a GitHub Pages site here/ },
  { host: /\.(herokuapp|herokudns)\.com$/, text: /No such app|herokucdn\.com\/error-pages\/no-such-app/ },
  { host: /\.netlify\.(app|com)$/, text: /Not Found - Request ID/ },
  { host: /\.(vercel\.app|vercel-dns\.com)$/, text: /DEPLOYMENT_NOT_FOUND/ },
];
