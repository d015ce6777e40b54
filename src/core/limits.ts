/**
 * Every number that bounds coord, once. Durations are in milliseconds and say so in their names.
 * What a user may change is listed in `settings.ts` and only defaults to what stands here.
 */
export const limits = {
  /** Reservations and locks, unless asked otherwise. */
  ttlMs: 900_000,
  /** Claims, unless asked otherwise: a unit of work outlives a thinking pause. */
  claimTtlMs: 2_700_000,
  /**
   * A lock under which a command runs: its process renews it, so that it ends soon after that
   * process.
   */
  runTtlMs: 120_000,
  ttlMinMs: 5_000,
  ttlMaxMs: 86_400_000,
  /** Steady work doubles a lease's TTL once, up to this. */
  ttlSteadyMs: 1_800_000,
  /** After its TTL a lease may be taken again by its former holder alone, for this long. */
  graceMs: 120_000,
  /** A claim whose agent has not worked on files for this long may be taken over. */
  stalledMs: 3_600_000,
  /** A lease whose holder does not answer for this long may be broken. */
  breakMs: 300_000,
  /** No holder can ask for more of these three. */
  graceMaxMs: 600_000,
  stalledMaxMs: 14_400_000,
  breakMaxMs: 1_800_000,
  /** Activity renews at most this often, so last activity is never staler than this. */
  renewEveryMs: 60_000,
  /** A wait whose process does not renew it is dropped after this. */
  waitTtlMs: 30_000,
  waitRenewEveryMs: 10_000,
  /** A session without a terminal that nobody has worked in so long may be taken over by name. */
  abandonedSessionMs: 900_000,
  /** Who holds nothing and has been silent for so long is only counted where people look. */
  silentAgentMs: 900_000,
  /** So much of a command line stands in the log. */
  commandChars: 200,
  /** What a writer has taken and not carried is given up after this, if its process is gone. */
  abandonedMs: 2_000,
  /** What ends by itself within this time is worth waiting for. */
  worthWaitingMs: 120_000,
  /** Whoever waits looks again after about this. */
  waitPollMs: 100,
  /** Where the log is far away each of these is a push. */
  waitRemoteTtlMs: 180_000,
  waitRemoteRenewEveryMs: 60_000,
  /** Snapshots of unsaved work: so many for an agent, so long, and no file larger than this. */
  savedPerAgent: 20,
  savedAgeMs: 604_800_000,
  savedFileBytes: 20_971_520,
  /** What a work tree held that was removed: so long, so much beside objects, no larger entries. */
  quarantineAgeMs: 2_592_000_000,
  quarantineBytes: 2_147_483_648,
  ignoredEntryBytes: 16_777_216,
  namedEntryBytes: 1_073_741_824,
  quarantineCommits: 200,
  /** A longer file is not shared by lines. */
  lineFileBytes: 1_048_576,
  /** It may have grown since. */
  sharedFileBytes: 16_777_216,
  /** What each has in hand is published at most so often, of so many, without larger files. */
  draftEveryMs: 5_000,
  draftsKept: 256,
  draftFileBytes: 1_048_576,
  /** An edit that was announced and not made is forgotten then. */
  intentMs: 600_000,
  /** So long a tool may take that was let through, with a formatter that it runs. */
  turnMs: 10_000,
  /** A file that was written so short ago may still be written. */
  quietMs: 300,
  /** So long an edit waits for a hook that has put files away. */
  putAwayMs: 20_000,
  /** What a tool has hidden for longer does not come back. */
  hiddenMs: 900_000,
  /** A command that has been under way for longer has ended unseen. */
  commandMs: 1_800_000,
  /** An agent is told at most so often that HEAD has moved; where commits come fast, in a digest. */
  adviceMs: 60_000,
  digestMs: 300_000,
  /** Between commands that only look, a stage comes to HEAD at most this often. */
  stageLazyMs: 30_000,
  /** An agent that was seen so lately is at work, whatever it holds. */
  atWorkMs: 3_600_000,
  /** An agent that has not been seen for this long has ended. */
  agentIdleMs: 86_400_000,
  /** A reservation held this long without a word of an edit is pointed out. */
  untouchedMs: 600_000,
  /** Any operation clears away what expired this long ago; `sweep` does so at once. */
  leftoverMs: 3_600_000,
  /**
   * How much slower than ours another machine's clock is allowed to run: both may be off by a
   * tenth, either way.
   */
  clockRateError: 0.25,
  /**
   * First sights of renewals: for a server twice as many as leases there may be, and for what went
   * before them.
   */
  sightsKept: 8_192,
  /** Readings of one uptime by two processes may differ by its resolution. */
  uptimeSlackMs: 1_000,

  patternBytes: 1_024,
  patternAlternatives: 64,
  patternGlobstars: 16,
  patternsPerLease: 64,
  leasesPerAgent: 64,
  /** Branches that are no older are compared: so many, so many files of two, so often unasked. */
  liveBranchMs: 1_209_600_000,
  sidesCompared: 100,
  filesCompared: 100,
  pairsKept: 5_000,
  conflictsEveryMs: 10_000,
  /** Of one pool that work trees lease from. */
  poolMembers: 1_000,
  leasesInAll: 2_000,
  claimsPerAgent: 8,
  /** Beads on record; what was done longest ago goes first. */
  beadsKept: 2_000,
  /** After so many failures a bead waits for a person. */
  failuresUntilParked: 3,
  /** Of one commit or tree; the oldest go. */
  evidenceKept: 32,
  /** Of the output of commands that were verified: so much of each, so many. */
  runLogBytes: 8_388_608,
  runLogsKept: 50,
  /** A replay of a history looks at no more merges after this. */
  replayMs: 60_000,
  /** A client is told what a call of a tool is at so often. */
  progressEveryMs: 1_000,
  /** What a killed process left behind: copies of commits, drafts of a copy of a remote log. */
  remainsAgeMs: 86_400_000,
  /** A tracker that has not answered by then is given up. */
  trackerMs: 20_000,
  trackerBytes: 67_108_864,
  /** Of a file of the project that is looked at as text: settings, instructions, hooks. */
  projectFileBytes: 4_194_304,
  /** A hook may be a program of its own. */
  hookBytes: 67_108_864,
  /** `.coord.json` of a commit. */
  gateFileBytes: 1_048_576,
  /** Of the end of a failed agent's log. */
  tailChars: 1_500,
  /** Open requests of one agent, and how long one may stand. */
  requestsPerAgent: 16,
  requestAgeMs: 86_400_000,
  /** The longest time a holder may ask for. */
  etaMaxMs: 3_600_000,
  waitsInAll: 2_000,
  /** One record or event of the log as text: the largest lease that may be asked for has room. */
  recordChars: 1_048_576,
  /** A file of the state, and any object of the log as bytes. */
  stateChars: 33_554_432,
  objectBytes: 100_663_296,
  /** Of what is only told along with a record: so many, and so much of each. */
  toldAlong: 20,
  toldAlongChars: 400,
  reasonChars: 500,
  beadChars: 128,
  lockNameChars: 64,

  /** Numbers of operations go on from those of another log, which is no further ahead than this. */
  seqAhead: 1_000_000_000,

  /** The local log gets a new root after so many entries ... */
  logEntries: 1_024,
  /** ... or when its root is this old and at least this many entries stand on it. */
  logAgeMs: 604_800_000,
  logAgeEntries: 64,
  /** Nonces that a new root keeps, so that a late retry still has one effect. */
  nonceAgeMs: 86_400_000,
  noncesKept: 2_048,
  /** Old chains are kept for so long, or so many of them where that is less. */
  archiveAgeMs: 604_800_000,
  archivesKept: 4,
  /** What was told within a day can be asked about, and so is kept however many chains that are. */
  archiveFreshMs: 86_400_000,

  /** How often one request tries the swap before it says busy. */
  swapAttempts: 64,
  /** A git lock file has to look abandoned for this long before it is taken away. */
  orphanLockMs: 1_000,
  /** A request gives up on a lock that it may not take away after this. */
  busyMs: 3_000,
  /** A place in the queue that makes no progress is passed by after this. */
  queueStuckAfterMs: 1_000,
  gitTimeoutMs: 30_000,
  /** All files of a large repository, written to a folder of their own. */
  checkoutMs: 600_000,
  gitOutputBytes: 268_435_456,
  /** A server that takes longer is said to be waited for. */
  slowMs: 1_500,
  /** What a server may say. */
  remoteOutputBytes: 16_777_216,
  /**
   * So many operations a first look at a remote log brings along; beyond so many the copy is made
   * anew.
   */
  copyDepth: 64,
  copyEntries: 2_048,
  /** A fetch of fewer objects leaves no pack behind. */
  looseObjects: 4_000,
  /**
   * By itself coord asks a remote at most so often, and less and less often while nothing moves.
   */
  askEveryMs: 2_000,
  askEveryMaxMs: 30_000,
  /**
   * A remote that is fetched from is asked whether it has a log at most so often, and for no longer
   * than this.
   */
  besideEveryMs: 600_000,
  /** Where it did not answer, it is asked again after this. */
  besideAgainMs: 60_000,
  besideMs: 3_000,
  /**
   * Where the log is far away, activity renews at most this often, all agents of a machine in one.
   */
  renewRemoteEveryMs: 300_000,
  /** A push of so many objects goes up before the step that moves branch and log. */
  uploadObjects: 64,
  uploadBytes: 1_048_576,
  uploadMs: 3_600_000,
  /** A server takes so many operations of the log in one push. */
  receivedOperations: 10_000,
  /** Below this a TTL costs many renewals over a network. */
  remoteTtlAdviceMs: 1_800_000,
  /** Others who moved the log so lately may want it again: at most and at least. */
  rivalMs: 5_000,
  rivalMinMs: 500,
  /**
   * What was overtaken together is waited for as long as this, so that it goes up together again.
   */
  gatherMs: 90,
  /** So long a list of objects that were drawn of a remote log is gone through for dead ones. */
  journalBytes: 65_536,
  /** While many want a remote log at once it is shown at most so often. */
  showEveryMs: 1_000,
  /** A process that has been showing a remote log for so long is not waited for. */
  publishMs: 5_000,
  /**
   * A process of this machine that has the turn with the server this long is not waited for any
   * more.
   */
  pushStuckAfterMs: 40_000,
  /** Who only looks waits for those who push no longer than this. */
  lookStuckAfterMs: 5_000,
  /** So long after it was sent by a process that is gone something may still arrive. */
  sentMs: 300_000,
  /** What waits to be sent and belongs to nobody any more. */
  underWayMs: 60_000,
  /** Refusals an operation carries whole; beyond that only their number. */
  talliesCarried: 32,
  tallyBytes: 65_536,
  textBytes: 8_192,
  /**
   * So long a hook may take a reservation for granted without looking, and so much earlier than it
   * ends.
   */
  editNoteMs: 60_000,
  editNoteMarginMs: 2_000,
  /** So long after it was told what concerns it an agent is not told again by a shell command. */
  toldMs: 30_000,
  /** Work of an agent that edits is kept so often. */
  saveEveryMs: 300_000,
  /** So many operations back messages are looked for. */
  inboxEntries: 256,
  /** What an agent is told at most, at its start and in between. */
  welcomeBytes: 800,
  newsBytes: 2_000,
  /** Messages of no more than this are told at the start, others at the next moment. */
  welcomeNewsBytes: 300,
  /** Of what a session has read so many notes are kept, for so long, and of one file so much. */
  readsPerSession: 4_000,
  readAgeMs: 2_592_000_000,
  readNoteBytes: 262_144,
  /** Commits of a file that are looked through for what an agent had read. */
  readVersions: 32,
  /** Lines of others that a refusal shows, and how much of each. */
  staleLines: 24,
  staleLineChars: 120,
  staleChars: 1_200,
  /** What a refusal of an edit or a command says, as far as paths allow. */
  denialChars: 300,
  /** Two hooks of one moment, from two installs, run so soon after each other. */
  speakAgainMs: 10_000,
  /** What a harness may send. */
  payloadBytes: 67_108_864,
  /** How long one call waits for another with the same command to begin. */
  callerMs: 2_000,
  /** A hook has answered by then, so that no harness gives it up first. */
  hookMs: 20_000,
  /** A stage that was not brought forward for so long is made anew. */
  stageAgeMs: 86_400_000,
  /** So many files may leave the index in one commit while they are still in the work tree. */
  vanishedFiles: 10,
} as const;
