import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import ts from 'typescript';

/** Path from the repository's top, with forward slashes → text. */
export type SourceTree = Map<string, string>;

/**
 * One import of a file: of another file (`path`) or of a package; `isType` when nothing of it is left at run
 * time.
 */
export type Import = { from: string; to: string; isFile: boolean; isType: boolean };

const CODE = /\.tsx?$/;

export function readSources(folders: readonly string[]): SourceTree {
  const tree: SourceTree = new Map();
  for (const folder of folders) {
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      if (entry.isFile() && CODE.test(entry.name) && !path.includes('fixtures'))
        tree.set(path, readFileSync(path, 'utf8'));
    }
  }
  return tree;
}

const parsed = new Map<string, ts.SourceFile>();

/** Parses each text once for all callers, because reading the tree takes most of the time of these tests. */
export function parse(path: string, text: string): ts.SourceFile {
  const known = parsed.get(path);
  if (known?.text === text) return known;
  const kind = path.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const { ParseNone } = ts.JSDocParsingMode;
  const source = ts.createSourceFile(
    path,
    text,
    { languageVersion: ts.ScriptTarget.Latest, jsDocParsingMode: ParseNone },
    true,
    kind,
  );
  parsed.set(path, source);
  return source;
}

/** Returns the path, line and text of each hit in the code, not in its comments; the places of `exempt` are left out. */
export function findNodes(tree: SourceTree, exempt: readonly RegExp[], isHit: (node: ts.Node) => boolean): string[] {
  const found: string[] = [];
  for (const [path, text] of tree) {
    if (exempt.some((place) => place.test(path))) continue;
    const source = parse(path, text);
    const visit = (node: ts.Node): void => {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart());
      if (isHit(node)) found.push(`${path}:${line + 1} ${node.getText().trim()}`);
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return found;
}

const imports = new WeakMap<ts.SourceFile, Import[]>();

/** Returns all imports of a file, `export … from` and `import()` among them. */
export function importsOf(path: string, text: string): Import[] {
  const source = parse(path, text);
  const known = imports.get(source);
  if (known !== undefined) return known;
  const found: Import[] = [];
  const add = (specifier: ts.Expression | undefined, isType: boolean): void => {
    if (specifier === undefined || !ts.isStringLiteralLike(specifier)) return;
    const isFile = specifier.text.startsWith('.');
    const to = isFile ? normalize(join(dirname(path), specifier.text)).replace(/\?.*$/, '') : specifier.text;
    found.push({ from: path, to, isFile, isType });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) add(node.moduleSpecifier, isTypeImport(node));
    else if (ts.isExportDeclaration(node)) add(node.moduleSpecifier, node.isTypeOnly);
    else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
      add(node.arguments[0], false);
    ts.forEachChild(node, visit);
  };
  visit(source);
  imports.set(source, found);
  return found;
}

function isTypeImport({ importClause }: ts.ImportDeclaration): boolean {
  if (importClause === undefined) return false;
  if (importClause.isTypeOnly) return true;
  const { namedBindings } = importClause;
  if (importClause.name !== undefined || namedBindings === undefined || !ts.isNamedImports(namedBindings)) return false;
  return namedBindings.elements.length > 0 && namedBindings.elements.every(({ isTypeOnly }) => isTypeOnly);
}
