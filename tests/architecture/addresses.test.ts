import ts from 'typescript';
import { expect, test } from 'vitest';
import { findNodes, readSources, type SourceTree } from '../support/source-tree.ts';

/** A template that begins with a scheme, after which a host is put in. */
const JOINED = /(https?:|\$\{[^}]*\}:?)\/\/\[?\$\{/;

/** Places where a scheme and a host may be joined, each with the reason. */
const MAY_JOIN = [
  // The one place for the address of a site, a release or a domain.
  /^server\/lib\/site-names\.ts$/,
  // Requests that try a name as a stranger would, at each scheme.
  /^server\/(domains\/certificates\/probe|diagnostics\/visits)\.ts$/,
  /^server\/diagnostics\/checks\//,
  // The app's own origins, and those of other people's servers.
  /^server\/http\/(security|web-app)\.ts$/,
  /^src\/api\/socket\.ts$/,
  /^server\/publishing\/platforms\/(http|git\/hosts|render\/domains)\.ts$/,
  /^server\/dns\/domain-connect\.ts$/,
  /^server\/lib\/egress\/client\.ts$/,
  // What a person typed, or a name that is only read as an address.
  /^server\/publishing\/releases\/hand-off\.ts$/,
  /^server\/dns\/queries\/canonical-address\.ts$/,
  /^routers\/schemas\/domain-name\.ts$/,
  /^src\/lib\/sites-address\.ts$/,
  // Nothing of the simulation is at any address.
  /^server\/simulation\//,
];

const joinedAddresses = (tree: SourceTree): string[] =>
  findNodes(tree, MAY_JOIN, (node) => ts.isTemplateExpression(node) && JOINED.test(node.getText()));

test('the address of a site is written together in one place', () => {
  expect(joinedAddresses(readSources(['routers', 'server', 'src']))).toEqual([]);
  const hole = '${'.concat('host}');
  const planted = `const a = \`https://${hole}/\`; const b = \`${hole}://${hole}\`; const c = \`/${hole}\`;`;
  expect(joinedAddresses(new Map([['server/domains/planted.ts', planted]]))).toHaveLength(2);
});
