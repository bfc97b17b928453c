export { removeDeployment, updateDeployment } from './change.ts';
export { createDeployment, tryCreation } from './create.ts';
export { addDestination, makePrimary, removeDestination, retryDestination } from './destinations.ts';
export { dismissLeftSite, listLeftSites, listSitesElsewhere } from './left-sites.ts';
export { getDeployment, listDeployments, listPlatforms } from './read.ts';
export { checkAddress } from './slug.ts';
