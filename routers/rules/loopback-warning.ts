/** Said with the records of a host that nobody else can reach. */
export const LOOPBACK_WARNING =
  'Do not create these records at a public DNS provider yet: visitors would end up at their own computer. First, whoever runs this Fairlead has to set SITES_DOMAIN and SITES_ADDRESSES to the public name and addresses of the host.';
