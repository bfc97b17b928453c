export { deleteAccount } from './delete.ts';
