/**
 * The tiers of the tests, and what a tier's files need of the machine. The word before `.test.ts`
 * names the tier: `x.process.test.ts`; a plain `x.test.ts` is a unit test. What a file needs beyond
 * Node and git stands in its opening comment, as `Needs: nginx, sshd.`
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { delimiter, join } from 'node:path';

export const tiers = ['unit', 'process', 'system', 'long'] as const;
export type Tier = (typeof tiers)[number];

export interface TierFacts {
  /** What its tests are. */
  readonly about: string;
  /** The command that runs it. */
  readonly command: string;
}

export const tierFacts: Readonly<Record<Tier, TierFacts>> = {
  unit: { about: 'start no process', command: 'npm test' },
  process: { about: 'real git and real coord', command: 'npm test' },
  system: {
    about: 'servers, other clocks, faults, sweeps, several gits',
    command: 'npm run test:all',
  },
  long: { about: 'sweeps and walks in full', command: 'npm run test:long' },
};

/** Null where the name says no tier that there is. */
export function tierOf(file: string): Tier | null {
  const [, word] = /(?:\.([^./]+))?\.test\.ts$/.exec(file.slice(file.lastIndexOf('/') + 1)) ?? [];
  if (word === undefined) return file.endsWith('.test.ts') ? 'unit' : null;
  return tiers.find((tier) => tier === word && tier !== 'unit') ?? null;
}

/** The glob that takes exactly the files of a tier. */
export function filesOf(tier: Tier): string {
  return `test/**/${tier === 'unit' ? '+([!.])' : `*.${tier}`}.test.ts`;
}

interface Need {
  readonly isThere: () => boolean;
  /** What a person may do about it. */
  readonly remedy: string;
  /** Few have it, and CI does without it. */
  readonly isRare?: true;
}

function onPath(program: string): boolean {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin'];
  return folders.some((folder) => folder !== '' && existsSync(join(folder, program)));
}

function runs(program: string, ...args: readonly string[]): boolean {
  return spawnSync(program, args, { stdio: 'ignore' }).status === 0;
}

function packaged(program: string, name: string = program): Need {
  return { isThere: () => onPath(program), remedy: `apt-get install ${name}` };
}

function named(variable: string, file: string, remedy: string): Need {
  return { isThere: () => existsSync(join(process.env[variable] ?? '/nowhere', file)), remedy };
}

const libfaketime = /^libfaketime\.so/;

function hasFaketime(): boolean {
  const folders = ['x86_64', 'aarch64'].map((arch) => `/usr/lib/${arch}-linux-gnu/faketime`);
  return folders.some(
    (folder) => existsSync(folder) && readdirSync(folder).some((name) => libfaketime.test(name)),
  );
}

export const needs: Readonly<Record<string, Need>> = {
  nginx: packaged('nginx'),
  fcgiwrap: packaged('fcgiwrap'),
  sshd: packaged('sshd', 'openssh-server openssh-client'),
  strace: packaged('strace'),
  script: packaged('script', 'bsdutils'),
  zsh: packaged('zsh'),
  fish: packaged('fish'),
  tmux: packaged('tmux'),
  ruby: packaged('ruby'),
  man: packaged('man', 'man-db'),
  faketime: { isThere: hasFaketime, remedy: 'apt-get install faketime' },
  iproute2: packaged('ip', 'iproute2'),
  namespaces: {
    isThere: () => runs('unshare', '-rmnT', '--boottime', '1', 'true'),
    remedy: 'a Linux that lets you make user, network and time namespaces',
  },
  mksh: packaged('mksh'),
  busybox: packaged('busybox'),
  "mounts of one's own": {
    isThere: () => runs('unshare', '-m', 'mount', '--make-rprivate', '/'),
    remedy: 'as root',
    isRare: true,
  },
  'loop mounts': {
    isThere: () =>
      ['lowntfs-3g', 'mkfs.ntfs', 'mkfs.exfat', 'mount.exfat-fuse', 'losetup'].every(onPath) &&
      existsSync('/dev/fuse') &&
      runs('unshare', '-m', 'mount', '--make-rprivate', '/'),
    remedy: 'as root, with apt-get install ntfs-3g exfat-fuse exfatprogs',
    isRare: true,
  },
  'newer git': named(
    'COORD_TEST_NEWER_GIT',
    'git',
    'COORD_TEST_NEWER_GIT=$(test/support/newer-git.sh /tmp/newer-git sid)',
  ),
  'other nodes': named(
    'COORD_TEST_NODES',
    '20.19',
    'COORD_TEST_NODES=$(test/support/nodes.sh /tmp/nodes 20.19 22 24)',
  ),
  'agent programs': {
    ...named('COORD_TEST_AGENTS', 'claude/node_modules', 'npm run test:agents, which fetches them'),
    isRare: true,
  },
  'loopback alone': {
    isThere: () => Object.keys(networkInterfaces()).every((name) => name === 'lo'),
    remedy: 'npm run test:agents, which runs them where no network is',
    isRare: true,
  },
  'git-lfs': packaged('git-lfs'),
  'pre-commit': packaged('pre-commit'),
  'husky and lefthook': named(
    'COORD_TEST_NEIGHBOURS',
    'node_modules/lefthook/bin/lefthook',
    'COORD_TEST_NEIGHBOURS=$(test/support/neighbours.sh /tmp/neighbours)',
  ),
  bd: { ...named('COORD_TEST_BD', '', 'COORD_TEST_BD=/path/to/bd'), isRare: true },
};

/** What the opening comment of a test file says that it needs. */
export function needsIn(text: string): readonly string[] {
  const opening = /^\/\*\*([^]*?)\*\//.exec(text)?.[1] ?? '';
  const list = /\bNeeds: ([^.]+)\./.exec(opening.replace(/\n \*/g, ''))?.[1] ?? '';
  return list === '' ? [] : list.split(',').map((name) => name.trim());
}

export interface Unrun {
  readonly file: string;
  readonly missing: readonly string[];
}

/** All files of a tier below this folder. */
export function filesIn(root: string, tier: Tier): readonly string[] {
  return readdirSync(join(root, 'test'), { recursive: true })
    .map(String)
    .filter((file) => file.endsWith('.test.ts') && tierOf(file) === tier);
}

/** The files below this folder that cannot run on this machine, with what they lack. */
export function cannotRun(root: string): readonly Unrun[] {
  const known = new Map<string, boolean>();
  const isThere = (name: string): boolean => {
    const is = known.get(name) ?? needs[name]?.isThere() ?? false;
    known.set(name, is);
    return is;
  };
  const files = readdirSync(join(root, 'test'), { recursive: true }).map(String);
  return files
    .filter((file) => file.endsWith('.test.ts'))
    .sort()
    .flatMap((file) => {
      const wanted = needsIn(readFileSync(join(root, 'test', file), 'utf8'));
      const missing = wanted.filter((name) => !isThere(name));
      return missing.length === 0 ? [] : [{ file: join('test', file), missing }];
    });
}
