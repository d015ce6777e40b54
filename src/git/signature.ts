/**
 * Operations signed with ssh keys, as git signs commits: `git log --show-signature` shows them.
 * Whoever may act under a name stands in the allowed-signers file, whose principals are names of
 * agents (`alice,alice/* ssh-ed25519 ...`). A log believes in signatures as far as it is told to.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, resolve } from 'node:path';
import { CoordError } from '../core/errors.ts';
import type { Oid } from '../core/ids.ts';
import type { Settings } from '../core/settings.ts';
import { builtin } from './builtin.ts';
import { localPath, ownMark } from './local.ts';
import { parseCommit, splitSignature } from './object-text.ts';
import { readObject } from './read-objects.ts';
import type { Repository } from './repository.ts';
import { gaveUpReading, runGit } from './run-git.ts';

const namespace = 'git';

interface Ran {
  readonly code: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

export class Signing {
  readonly #repository: Repository;
  readonly #policy: Settings['sign'];
  #program: string | null = null;
  #key: string | null = null;
  #allowed: string | null | undefined;

  /** `repository` says which key, and whose signatures count. */
  constructor(repository: Repository, policy: Settings['sign']) {
    this.#repository = repository;
    this.#policy = policy;
  }

  /** Armoured, or null where nothing is signed. */
  sign(payload: Buffer): string | null {
    if (this.#policy === 'off') return null;
    this.#key ??= this.#ask('--get', 'user.signingKey') ?? '';
    if (this.#key === '')
      throw new CoordError(
        'bad_setting',
        'coord.sign wants operations signed, and there is no key to sign with',
        'git config user.signingKey ~/.ssh/id_ed25519.pub',
      );
    const literal = /^(key::)?(?<text>(ssh|ecdsa|sk-ssh|sk-ecdsa)-\S+ .*)$/s.exec(this.#key)
      ?.groups?.['text'];
    const run = (file: string, ...more: readonly string[]): Ran =>
      this.#run(['-Y', 'sign', '-q', '-n', namespace, ...more, '-f', file], payload);
    const { code, stdout, stderr } =
      literal === undefined
        ? run(this.#pathOf(this.#key))
        : this.#withFile('key', literal, (file) => run(file, '-U'));
    const armoured = stdout.toString('latin1').trim();
    if (code === 0 && armoured.startsWith('-----BEGIN SSH SIGNATURE-----')) return armoured;
    throw new CoordError(
      'bad_setting',
      `the operation could not be signed with '${this.#key.slice(0, 80)}': ${stderr.split('\n').at(-1) ?? ''}`,
      'ssh-add <key>, if it has a passphrase',
    );
  }

  /** Throws where this operation is not by whoever it says. `where` is what to call its log. */
  check(from: Repository, oid: Oid, name: string, seq: number, where: string): void {
    const trusted = this.#policy === 'off' ? null : this.#allowedSigners();
    if (trusted === null) return;
    const { payload, signature } = splitSignature(readObject(from, oid, 'commit'));
    if (signature === null && this.#policy !== 'require') return;
    const why =
      signature === null
        ? 'carries no signature'
        : this.#isBy(name, payload, signature, trusted)
          ? null
          : `is not signed by a key that may act as ${name}`;
    if (why !== null)
      throw new CoordError(
        'log_forged',
        `operation ${seq} of ${where} (${oid.slice(0, 12)}) says that it is by ${name}, but ${why}`,
        `see who wrote it, then put the log back on the server: git update-ref <log> ${parseCommit(payload).parents[0]?.slice(0, 12) ?? ''}`,
      );
  }

  #isBy(name: string, payload: Buffer, signature: string, trusted: string): boolean {
    return (
      this.#withFile('signature', signature, (file) =>
        this.#run(
          ['-Y', 'verify', '-q', '-n', namespace, '-f', trusted, '-I', name, '-s', file],
          payload,
        ),
      ).code === 0
    );
  }

  /** Null where nobody says whose signatures count. */
  #allowedSigners(): string | null {
    if (this.#allowed === undefined) {
      const said = this.#ask('--type=path', '--get', 'gpg.ssh.allowedSignersFile');
      this.#allowed = said === null ? null : this.#pathOf(said);
      if (this.#allowed === null && this.#policy === 'require')
        throw new CoordError(
          'bad_setting',
          'coord.sign wants signatures, and nobody says whose count',
          'git config gpg.ssh.allowedSignersFile <file>',
        );
    }
    return this.#allowed;
  }

  #pathOf(said: string): string {
    const home = said.startsWith('~/')
      ? `${this.#repository.git.env['HOME'] ?? ''}${said.slice(1)}`
      : said;
    return isAbsolute(home) ? home : resolve(this.#repository.top, home);
  }

  #ask(...args: readonly string[]): string | null {
    const { code, stdout } = runGit(this.#repository.git, [
      `--git-dir=${this.#repository.gitDir}`,
      'config',
      ...args,
    ]);
    return code === 0 ? stdout.toString('utf8').trim() : null;
  }

  /** ssh-keygen reads these from files alone. */
  #withFile(what: string, text: string, use: (file: string) => Ran): Ran {
    const file = localPath(this.#repository.commonDir, `${what}-${ownMark}`);
    mkdirSync(dirname(file), { recursive: true });
    try {
      writeFileSync(file, `${text.trimEnd()}\n`, { mode: 0o600 });
      return use(file);
    } finally {
      rmSync(file, { force: true });
    }
  }

  /** Nobody is there to be asked for a passphrase. */
  #run(args: readonly string[], input: Buffer): Ran {
    this.#program ??= this.#ask('--type=path', '--get', 'gpg.ssh.program') ?? 'ssh-keygen';
    const env = {
      ...this.#repository.git.env,
      SSH_ASKPASS: '/bin/false',
      SSH_ASKPASS_REQUIRE: 'force',
      DISPLAY: this.#repository.git.env['DISPLAY'] ?? ':',
    };
    const child = builtin.childProcess.spawnSync(this.#program, [...args], {
      input,
      env,
      timeout: 20_000,
      maxBuffer: 1_048_576,
      windowsHide: true,
    });
    if (child.error !== undefined && !gaveUpReading(child))
      throw new CoordError(
        'bad_setting',
        `'${this.#program}' could not be run: ${child.error.message}`,
        'install OpenSSH 8.2 or newer',
      );
    return {
      code: child.status ?? 255,
      stdout: child.stdout,
      stderr: child.stderr.toString('utf8').trim(),
    };
  }
}
