export { findVisitsReader, openVisitsDownload, parseVisitsQuery, prepareVisitsDownload } from './download.ts';
export { readReleaseStatistics } from './release-statistics.ts';
export { forgetVisitors, forgetVisits } from './retention.ts';
export { rollUpVisits } from './roll-up.ts';
export { readVisits } from './visits.ts';
