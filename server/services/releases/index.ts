export { cancelRelease } from './cancel.ts';
export { createRelease, retryRelease } from './create.ts';
export { findDownloader, openDownload, prepareDownload } from './download.ts';
export { openFile, openFileList } from './files.ts';
export { confirmRelease, readHandOff } from './hand-off.ts';
export { readPlatformLog } from './platform-log.ts';
export { prepareRelease } from './prepare.ts';
export { diffRelease, getRelease, listReleases } from './read.ts';
export { rollBackDeployment } from './roll-back.ts';
