export { removeDeployment, rollBackDeployment, updateDeployment } from './change.ts';
export { createDeployment } from './create.ts';
export { getDeployment, listDeployments } from './read.ts';
export { checkAddress } from './slug.ts';
