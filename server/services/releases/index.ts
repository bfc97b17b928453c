export { cancelRelease } from './cancel.ts';
export { createRelease, retryRelease } from './create.ts';
export { findDownloader, openDownload, prepareDownload } from './download.ts';
export { prepareRelease } from './prepare.ts';
export { diffRelease, getRelease, listReleases } from './read.ts';
