/**
 * Makes what a release consists of, in `release/`: the package, the entry for the MCP registry, the
 * Homebrew formula and the archive of the Gemini extension. Where coord is published from is said
 * here and nowhere else: node .github/release.mjs <owner>/<repository>
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const [place = ''] = process.argv.slice(2);
if (!/^[\w.-]+\/[\w.-]+$/.test(place)) {
  process.stderr.write('usage: node .github/release.mjs <owner>/<repository>\n');
  process.exit(64);
}
const [owner = ''] = place.split('/');
const root = resolve(import.meta.dirname, '..');
const out = join(root, 'release');
const url = `https://github.com/${place}`;
const read = (name) => readFileSync(join(root, name), 'utf8');
const write = (name, text) => writeFileSync(join(out, name), text);

const source = read('package.json');
const manifest = JSON.parse(source);

/** What the package promises, and each program that the build bundles. */
const promised = [
  ...Object.values(manifest.bin),
  ...Object.values(manifest.exports).flatMap((place) => (typeof place === 'string' ? place : Object.values(place))),
  ...manifest.man,
  ...[...manifest.scripts.bundle.matchAll(/ (\w+)=src\//g)].map(([, bundle]) => `dist/${bundle}.cjs`),
];
const builtAt = (name) => (existsSync(join(root, name)) ? statSync(join(root, name)).mtimeMs : 0);
const missing = promised.filter((name) => builtAt(name) === 0);
const stale = (existsSync(join(root, 'src')) ? readdirSync(join(root, 'src'), { recursive: true }) : [])
  .filter((name) => name.endsWith('.ts'))
  .filter((name) => builtAt(`dist/${name.replace(/ts$/, 'js')}`) < builtAt(`src/${name}`))
  .map((name) => `dist/${name.replace(/ts$/, 'js')}`);
const [unfit] = [...missing, ...stale];
if (unfit !== undefined) {
  process.stderr.write(`${unfit} is missing, or older than its source: npm run build\n`);
  process.exit(1);
}

rmSync(out, { recursive: true, force: true });
mkdirSync(out);

const mcpName = `io.github.${owner}/git-coord`;
const published = {
  ...manifest,
  mcpName,
  homepage: `${url}#readme`,
  bugs: { url: `${url}/issues` },
  repository: { type: 'git', url: `git+${url}.git` },
  publishConfig: { access: 'public', provenance: true },
};

// npm packs the manifest that stands in the folder; the repository keeps its own.
writeFileSync(join(root, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
let packed;
try {
  packed = JSON.parse(
    execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', out], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  )[0];
} finally {
  writeFileSync(join(root, 'package.json'), source);
}

const { name, version } = manifest;
const sha256 = createHash('sha256').update(readFileSync(join(out, packed.filename))).digest('hex');
write('server.json', read('server.json').replaceAll('io.github.OWNER/git-coord', mcpName));
write(
  'git-coord.rb',
  read('.github/homebrew/git-coord.rb')
    .replace('"HOMEPAGE"', JSON.stringify(url))
    .replace('"URL"', JSON.stringify(`https://registry.npmjs.org/${name}/-/${packed.filename}`))
    .replace('"SHA256"', JSON.stringify(sha256)),
);
execFileSync('tar', ['-czf', join(out, `gemini-extension-${version}.tar.gz`), '-C', join(root, 'plugin/gemini'), '.']);
