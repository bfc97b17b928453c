export { deleteAccount } from './delete.ts';
export { openExport, prepareExport } from './export.ts';
