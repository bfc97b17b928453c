export { checkHealth, readHealth } from './health.ts';
export { getReport, listReports, readSharedReport } from './read.ts';
export { shareReport, stopSharing } from './share.ts';
export { runDiagnostics } from './start.ts';
