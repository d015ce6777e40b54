/**
 * The modules of node that take a millisecond or more to load: most commands need none or one of
 * them.
 */
export const builtin = {
  get childProcess(): typeof import('node:child_process') {
    return process.getBuiltinModule('node:child_process');
  },
  get crypto(): typeof import('node:crypto') {
    return process.getBuiltinModule('node:crypto');
  },
  get net(): typeof import('node:net') {
    return process.getBuiltinModule('node:net');
  },
  get zlib(): typeof import('node:zlib') {
    return process.getBuiltinModule('node:zlib');
  },
  get tty(): typeof import('node:tty') {
    return process.getBuiltinModule('node:tty');
  },
};
