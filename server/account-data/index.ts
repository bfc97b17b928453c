export { confirmDeletion, deleteAccount } from './delete.ts';
export { findExporter, openExport, prepareExport } from './export.ts';
