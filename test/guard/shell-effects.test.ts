/** What a shell command would wipe or write over, as far as its words tell. */
import { describe, expect, test } from 'vitest';
import { effectsOf } from '../../src/guard/shell-effects.ts';
import { simpleCommands } from '../../src/guard/shell-words.ts';

const there = new Set(['/w', '/w/src', '/w/src/a', '/w/b c']);
const effects = (command: string): ReturnType<typeof effectsOf> =>
  effectsOf(
    command,
    '/w',
    (file) => there.has(file),
    (file) => file === '/w/src' || file === '/w',
  );

describe('what a shell command would wipe or write over', () => {
  test.for<readonly [string, readonly string[]]>([
    ['ls -la', []],
    ['echo hi > src/a', ['/w/src/a']],
    ['echo hi >>src/a', ['/w/src/a']],
    ['echo hi 2>&1 >/dev/null', []],
    ['cat <src/a', []],
    ['cmd &> log', ['/w/log']],
    ['cmd 2> err.txt', ['/w/err.txt']],
    ['rm -rf src other', ['/w/src', '/w/other']],
    ['rm -- -x', ['/w/-x']],
    ['mv a b', ['/w/a', '/w/b']],
    ['cp -r a b', ['/w/b']],
    ['tee -a log', ['/w/log']],
    ['touch x', ['/w/x']],
    ["sed -i 's/a/b/' src/a", ['/w/src/a']],
    ["sed -i.bak -e 's/a/b/' src/a", ['/w/src/a']],
    ["sed 's/a/b/' src/a", []],
    ["perl -pi -e 's/a/b/' src/a", ['/w/src/a']],
    ['dd if=x of=src/a', ['/w/src/a']],
    ['cd src && rm a', ['/w/src/a']],
    ['(cd src; rm a)', ['/w/src/a']],
    ["sh -c 'rm src/a'", ['/w/src/a']],
    ['bash -lc "echo x > src/a"', ['/w/src/a']],
    ['X=1 env rm src/a', ['/w/src/a']],
    ['sudo rm src/a', ['/w/src/a']],
    ["rm 'b c'", ['/w/b c']],
    ['rm b\\ c', ['/w/b c']],
    ['echo "a > b"', []],
    ["echo 'rm x'", []],
    ['echo $(rm src/a)', ['/w/src/a']],
    ['echo "$(rm src/a)"', ['/w/src/a']],
    ['true; # rm x\nls', []],
    ['git restore src/a', ['/w/src/a']],
    ['git -C src checkout -- a', ['/w/src/a']],
    ['git rm -f src/a', ['/w/src/a']],
    ['git mv a b', ['/w/a', '/w/b']],
    ['npx prettier --write src/a', []],
    ['prettier --write src/a', ['/w/src/a']],
    ['for f in *.ts; do rm $f; done', ['/w/$f']],
    ['if true; then rm src/a; fi', ['/w/src/a']],
    ['/bin/rm src/a', ['/w/src/a']],
    ['cp /etc/hostname .', ['/w/hostname']],
    ['cp x src/', ['/w/src/x']],
    ['mv b src', ['/w/b', '/w/src/b']],
    ['cp -t src x/a', ['/w/src/a']],
    ['cp b --target-directory=src', ['/w/src/b']],
    ['rsync -n b src/', []],
    ['black --check .', []],
    ['timeout 5 rm src/a', ['/w/src/a']],
    ['nice -n 5 rm src/a', ['/w/src/a']],
    ['env -i rm src/a', ['/w/src/a']],
    ['sudo -u x rm src/a', ['/w/src/a']],
    ['xargs rm src/a', ['/w/src/a']],
    ['sort -o src/a b', ['/w/src/a']],
    ['find src -name a -delete', ['/w/src']],
    ['echo hi\nrm src/a', ['/w/src/a']],
    ['rm \\\n  src/a', ['/w/src/a']],
    ["cat > x <<'EOF'\nrm src/a\nit's\nEOF\nrm y", ['/w/x', '/w/y']],
    ['cat <<-A <<B\nrm a\n\tA\nrm b\nB\nrm y', ['/w/y']],
    ['bash <<EOF\nrm src/a\nEOF', ['/w/src/a']],
    ['cat <<<word\nrm y', ['/w/y']],
  ])('%j writes %j', ([command, writes]) =>
    expect([...effects(command).writes].sort()).toEqual([...writes].sort()));

  test.for<readonly [string, boolean]>([
    ['git stash', true],
    ['git stash list', false],
    ['git reset --hard', true],
    ['git clean -fd', true],
    ['git checkout .', true],
    ['git checkout main', false],
    ['git commit -a -m x', false],
    ['git commit -am x', false],
    ['git commit -m "-a"', false],
    ['git commit -m x -- a', false],
    ['npm test && git reset --hard HEAD~1', true],
    ["sh -c 'git stash'", true],
    ['git -c a.b=c stash', true],
    ['git switch -f main', true],
    ['git rebase --autostash main', true],
    ['echo git stash', false],
  ])('%j wipes the tree: %j', ([command, does]) =>
    expect(effects(command).wipesIn.length > 0).toBe(does));

  const patch =
    '*** Begin Patch\n*** Update File: a\n@@\n-it\'s git\n+"its\n*** Move to: b\n*** Add File: n w\n+x\n*** Delete File: /t/d\n*** End Patch';
  const all = ['/t/d', '/w/a', '/w/b', '/w/n w'];
  const below = ['/t/d', '/w/src/a', '/w/src/b', '/w/src/n w'];
  test.for<readonly [string, string, readonly string[]]>([
    ['a here-document', `apply_patch <<'EOF'\n${patch}\nEOF`, all],
    ['below another folder', `cd src && apply_patch <<"EOF"\n${patch}\nEOF\n`, below],
    ['its other name', `applypatch << EOF\n${patch}\nEOF`, all],
    ['beside others', `rm y; apply_patch <<'EOF' && ls\n${patch}\nEOF\nls`, all],
    ['an argument', `apply_patch '${patch.replaceAll("'", "'\\''")}'`, all],
    ['what another prints', `apply_patch "$(cat <<'EOF'\n${patch}\nEOF\n)"`, all],
    ['a pipe', `cd src; cat <<'EOF' | /opt/bin/apply_patch\n${patch}\nEOF`, below],
    ['a shell', `bash -lc "apply_patch <<'EOF'\n*** Add File: a\nEOF"`, ['/w/a']],
    ['a patch that is written down', `cat > p <<'EOF'\n${patch}\nEOF`, []],
  ])('a patch is an edit, by %s', ([, command, edits]) =>
    expect([...effects(command).edits].sort()).toEqual(edits));

  test('what a patch says is not what is run', () => {
    expect(effects(`apply_patch <<'EOF'\n${patch}\nEOF`).isOurs).toBe(false);
    expect(effects(`apply_patch <<'EOF'\n${patch}\nEOF\ngit add a`).isOurs).toBe(true);
  });

  test.each([
    ['git status', true],
    ['coord status', true],
    ['./release.sh', true],
    ['cd src && sh ../save.sh', true],
    ['npm run release', true],
    ['. ./env && ls', true],
    ['ls src/a', false],
    ['grep -rn make src | head', false],
  ])('%s has to know whose it is: %s', (command, isOurs) =>
    expect(effects(command).isOurs).toBe(isOurs));

  test('hostile text takes linear time and never throws', { timeout: 6_000 }, () => {
    for (const piece of ['"', "'", '$(', '`', '\\', '((((', '>', '<<', '${', '"$(', '&&', '\n'])
      expect(() => simpleCommands(piece.repeat(20_000))).not.toThrow();
    for (const piece of ['bash <<A\n', 'cat <<A\n', 'sh -c ', "apply_patch '*** Add File: a\n'\n"])
      expect(() => effects(piece.repeat(20_000))).not.toThrow();
  });
});
