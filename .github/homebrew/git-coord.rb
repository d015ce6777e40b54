# Homebrew formula; .github/release.mjs fills in what is in capitals.
class GitCoord < Formula
  desc "Coordination for coding agents that share a git repository"
  homepage "HOMEPAGE"
  url "URL"
  sha256 "SHA256"
  license "MIT"

  depends_on "git"
  depends_on "node"

  def install
    system "npm", "install", *std_npm_args
    bin.install_symlink Dir["#{libexec}/bin/*"]
    man1.install_symlink Dir["#{libexec}/lib/node_modules/git-coord/docs/man/*.1"]
  end

  test do
    system "git", "init", "--quiet", "."
    assert_match "granted a", shell_output("#{bin}/coord --agent ann reserve a")
    assert_match "ann", shell_output("git coord status")
  end
end
