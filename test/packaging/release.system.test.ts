/**
 * What a release consists of, used as those use it who get it.
 * Needs: ruby, man.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { repository, temporaryFolder } from '../support/repository.ts';
import { copyOfSource, madeRelease, npm, releaseIn, root } from './packed.ts';

const json = (file: string): Record<string, any> => JSON.parse(readFileSync(file, 'utf8'));

interface Workflow {
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, { readonly steps: readonly { readonly run?: string }[] }>>;
}

describe('a release', () => {
  test('says in the package where it is from, and leaves the repository as it was', () => {
    const { folder, tarball } = madeRelease('Someone/coord');
    const packed = JSON.parse(
      execFileSync('tar', ['-xzOf', tarball, 'package/package.json'], { encoding: 'utf8' }),
    );
    expect(packed).toMatchObject({
      name: 'git-coord',
      mcpName: 'io.github.Someone/git-coord',
      repository: { url: 'git+https://github.com/Someone/coord.git' },
      publishConfig: { access: 'public', provenance: true },
    });
    expect(json(join(folder, '../package.json'))).toEqual(json(join(root, 'package.json')));
    expect(json(join(folder, 'server.json'))['name']).toBe(packed.mcpName);
  });

  test('wants to know from where', () => {
    expect(() => madeRelease('nowhere')).toThrow(/usage: node \.github\/release\.mjs/);
  });

  test.each([
    'dist/work.cjs',
    'dist/index.d.ts',
    'docs/man/coord.1',
  ])('is not made without %s', (name) => {
    const source = copyOfSource();
    rmSync(join(source, name));
    expect(() => releaseIn(source, 'someone/coord')).toThrow(`${name} is missing`);
    expect(existsSync(join(source, 'release'))).toBe(false);
  });

  test('is not made of what was built before the source was changed', () => {
    const source = copyOfSource();
    mkdirSync(join(source, 'src'));
    writeFileSync(join(source, 'src/index.ts'), '');
    expect(() => releaseIn(source, 'someone/coord')).toThrow('dist/index.js is missing, or older');
  });

  test('is published by a job that runs no test and no script of a package', () => {
    const { permissions, jobs } = parse(
      readFileSync(join(root, '.github/workflows/release.yml'), 'utf8'),
    ) as Workflow;
    const said = (name: string): string => jobs[name]?.steps.map(({ run }) => run).join('\n') ?? '';
    expect(permissions).toEqual({});
    expect(jobs['test']).toMatchObject({ permissions: { contents: 'read' } });
    expect(said('test')).toContain('npm test');
    expect(jobs['publish']).toMatchObject({
      needs: 'test',
      permissions: { contents: 'write', 'id-token': 'write' },
    });
    expect(said('publish')).not.toContain('npm test');
    expect(said('publish')).toContain('npm ci --ignore-scripts');
    expect(said('publish')).not.toContain('/latest/');
    expect(said('publish')).toContain('sha256sum --check');
  });

  test('has one version', () => {
    const { version } = json(join(root, 'package.json'));
    const { version: listed, packages } = json(join(root, 'server.json'));
    const market = json(join(root, '.claude-plugin/marketplace.json'));
    expect([
      listed,
      packages[0].version,
      market['metadata'].version,
      market['plugins'][0].version,
      json(join(root, 'plugin/.claude-plugin/plugin.json'))['version'],
      json(join(root, 'plugin/gemini/gemini-extension.json'))['version'],
    ]).toEqual(Array(6).fill(version));
  });
});

describe('npx', () => {
  test('runs the demo from the tarball, in an empty home, outside any repository', () => {
    const { tarball } = madeRelease('someone/coord');
    const home = temporaryFolder();
    const said = execFileSync('npx', ['--yes', `file:${tarball}`, 'demo'], {
      cwd: home,
      encoding: 'utf8',
      env: { ...process.env, ...npm, HOME: home, GIT_CONFIG_GLOBAL: '/dev/null' },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: 120_000,
    });
    expect(said).toContain('refused');
    expect(said).toContain('granted');
  }, 150_000);

  test('starts the server that server.json describes, and a client is answered', async () => {
    const { folder, tarball } = madeRelease('someone/coord');
    const [described] = json(join(folder, 'server.json'))['packages'];
    const repo = repository();
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(
      new StdioClientTransport({
        command: described.runtimeHint,
        args: [
          '--yes',
          `file:${tarball}`,
          ...described.packageArguments.map(({ value }: { value: string }) => value),
        ],
        cwd: repo.top,
        env: { ...repo.env, ...npm },
      }),
    );
    const { tools } = await client.listTools();
    await client.close();
    expect(tools.map(({ name }) => name)).toContain('reserve');
  }, 90_000);
});

describe('the Homebrew formula', () => {
  /** What of Homebrew it uses, as the documentation has it. */
  const homebrew = `
    require 'pathname'; require 'fileutils'; require 'digest'
    class Place < Pathname
      def install_symlink(files) = Array(files).each { |f| FileUtils.mkdir_p(self); FileUtils.ln_sf(f, self + File.basename(f)) }
    end
    class Formula
      @@said = {}
      %w[desc homepage license url sha256].each { |w| define_singleton_method(w) { |v| @@said[w] = v } }
      def self.depends_on(*) = nil
      def self.test(&block) = nil
      def self.said = @@said
      def prefix = Place.new(ARGV[1])
      def libexec = Place.new(prefix + 'libexec')
      def bin = Place.new(prefix + 'bin')
      def man1 = Place.new(prefix + 'share/man/man1')
      def std_npm_args = ['--global', '--prefix', libexec.to_s, ARGV[2]]
      def system(*words) = Kernel.system(*words.map(&:to_s)) || abort('failed: ' + words.join(' '))
    end
    load ARGV[0]
    raise 'another file' unless Digest::SHA256.file(ARGV[2]).hexdigest == Formula.said['sha256']
    GitCoord.new.install
    puts Formula.said['url']`;

  test('names the file by its sum, installs it, and puts programs and manual where they belong', () => {
    const { folder, tarball } = madeRelease('someone/coord');
    const home = temporaryFolder();
    const prefix = join(home, 'cellar');
    mkdirSync(prefix);
    writeFileSync(join(home, 'homebrew.rb'), homebrew);
    const url = execFileSync(
      'ruby',
      [join(home, 'homebrew.rb'), join(folder, 'git-coord.rb'), prefix, tarball],
      { encoding: 'utf8', env: { ...process.env, ...npm }, stdio: ['ignore', 'pipe', 'pipe'] },
    );
    const { version } = json(join(root, 'package.json'));
    expect(url).toContain(`https://registry.npmjs.org/git-coord/-/git-coord-${version}.tgz`);
    expect(readdirSync(join(prefix, 'share/man/man1')).sort()).toEqual(['coord.1', 'git-coord.1']);
    const repo = repository();
    const env = { ...repo.env, PATH: `${join(prefix, 'bin')}:${repo.env['PATH'] ?? ''}` };
    const run = (...words: readonly string[]): string =>
      execFileSync(words[0] ?? '', words.slice(1), { cwd: repo.top, env, encoding: 'utf8' });
    expect(run('coord', '--agent', 'ann', 'reserve', 'a')).toContain('granted a');
    expect(run('git', 'coord', 'status')).toContain('ann');
    const manual = execFileSync('git', ['coord', '--help'], {
      cwd: repo.top,
      env: {
        ...env,
        MANPATH: join(prefix, 'share/man'),
        MANPAGER: 'cat',
        MAN_DISABLE_SECCOMP: '1',
      },
      encoding: 'utf8',
    });
    expect(manual).toMatch(/GIT-COORD\(1\)/);
    expect(manual).toContain('git coord reserve');
  }, 60_000);

  test('has the sum of the very file', () => {
    const { folder, tarball } = madeRelease('someone/coord');
    const sum = createHash('sha256').update(readFileSync(tarball)).digest('hex');
    expect(readFileSync(join(folder, 'git-coord.rb'), 'utf8')).toContain(`sha256 "${sum}"`);
  });
});
